import { and, eq } from 'drizzle-orm'

import { changed, type Db, one } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import { channelPointers } from '../db/schema/builds.ts'
import { games } from '../db/schema/games/games.ts'
import { oauthClients, oauthConsents } from '../db/schema/oauth.ts'
import type { Deps } from '../deps.ts'
import { BETA, STABLE } from '../domain/builds/channels.ts'
import { promote } from '../features/builds/channels/service.ts'
import { createUid } from '../lib/ids.ts'
import { DEVELOPERS } from './data.ts'

const PROGRAM = {
  clientId: 'demo-release-helper',
  name: 'Release helper',
  scopes: ['mcp:builds.read', 'mcp:builds.write'],
}

/** Connects a program to a demo developer and makes it request one release: see the mail and `/account`. */
export async function loadDemoAgent(deps: Deps): Promise<void> {
  const beta = await findBetaBuild(deps.db, DEVELOPERS['lantern-works'].email)
  if (!beta || !(await connectProgram(deps.db, beta.userUid, PROGRAM))) return
  const { clientId, scopes } = PROGRAM
  const person = { userUid: beta.userUid, adultContent: false, hiddenTags: [] }
  const agent = { kind: 'agent', ...person, clientId, tokenId: clientId, scopes } as const
  await promote(deps, agent, beta.gameUid, STABLE, { build_id: beta.buildUid })
}

interface DemoProgram {
  clientId: string
  name: string
  scopes: string[]
}

/** Finds a beta build of the person with this address; undefined if there is none. */
async function findBetaBuild(db: Db, email: string) {
  return await one(
    db
      .select({ userUid: users.id, gameUid: games.uid, buildUid: channelPointers.buildUid })
      .from(channelPointers)
      .innerJoin(games, eq(games.uid, channelPointers.gameUid))
      .innerJoin(users, eq(users.id, games.ownerUid))
      .where(and(eq(users.email, email), eq(channelPointers.channel, BETA)))
      .orderBy(games.vanityName)
      .limit(1),
  )
}

/** Returns false if the person is already connected. */
async function connectProgram(
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
  return await changed(
    db
      .insert(oauthConsents)
      .values({ id: createUid(), userId, clientId, scopes, lastUsedAt: now, ...dates })
      .onConflictDoNothing(),
  )
}
