import { and, eq } from 'drizzle-orm'

import type { Db } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import { channelPointers } from '../db/schema/channels.ts'
import { games } from '../db/schema/games/games.ts'
import { oauthClients, oauthConsents } from '../db/schema/oauth.ts'
import { BETA } from '../domain/builds/channels.ts'
import { createUid } from '../lib/ids.ts'

interface DemoProgram {
  clientId: string
  name: string
  scopes: string[]
}

/** A beta build of the person with this address, who may have none. */
export async function findBetaBuild(db: Db, email: string) {
  const [row] = await db
    .select({ userUid: users.id, gameUid: games.uid, buildUid: channelPointers.buildUid })
    .from(channelPointers)
    .innerJoin(games, eq(games.uid, channelPointers.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(and(eq(users.email, email), eq(channelPointers.channel, BETA)))
    .orderBy(games.vanityName)
    .limit(1)
  return row
}

/** Returns false if the person is already connected. */
export async function connectProgram(
  db: Db,
  userId: string,
  { clientId, name, scopes }: DemoProgram,
): Promise<boolean> {
  const now = new Date()
  const dates = { createdAt: now, updatedAt: now }
  await db
    .insert(oauthClients)
    .values({ id: createUid(), clientId, name, redirectUris: ['http://127.0.0.1/callback'], ...dates })
    .onConflictDoNothing()
  const rows = await db
    .insert(oauthConsents)
    .values({ id: createUid(), userId, clientId, scopes, lastUsedAt: now, ...dates })
    .onConflictDoNothing()
    .returning({ id: oauthConsents.id })
  return rows.length > 0
}
