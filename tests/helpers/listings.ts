import { eq } from 'drizzle-orm'

import { users } from '../../src/db/schema/accounts.ts'
import { gameAdmins, images } from '../../src/db/schema/games/game-pages.ts'
import { licenses, playTimes } from '../../src/db/schema/games/game-players.ts'
import { games } from '../../src/db/schema/games/games.ts'
import { forgetAccount } from '../../src/features/accounts/account-cache.ts'
import type { Person } from './people.ts'
import type { TestServer } from './server.ts'

export type GameRow = typeof games.$inferSelect
type GameValues = Partial<typeof games.$inferInsert>

export const LONG_TEXT = 'A small game about a lighthouse keeper who repairs the stars. '.repeat(5)

let count = 0

/** Inserts a listing directly, by default a draft that passes the listing check except for the cover. */
export async function insertGame(
  server: TestServer,
  owner: Person,
  values: GameValues = {},
): Promise<GameRow> {
  count += 1
  const isPublic = values.visibility === 'public'
  const [row] = await server.deps.db
    .insert(games)
    .values({
      ownerUid: owner.uid,
      assetType: 'game',
      name: `Lighthouse ${count}`,
      vanityName: `lighthouse-${count}-${crypto.randomUUID().slice(0, 6)}`,
      tagline: 'Repair the stars.',
      description: LONG_TEXT,
      genres: ['puzzle'],
      tags: ['cozy', 'stars', 'lighthouse'],
      ...(isPublic ? { publishedAt: new Date(), publicSince: new Date() } : {}),
      ...values,
    })
    .returning()
  if (!row) throw new Error('The listing was not stored')
  return row
}

/** Inserts a public listing that passes the check, with verified owner and cover. */
export async function insertPublicGame(
  server: TestServer,
  owner: Person,
  values: GameValues = {},
): Promise<GameRow> {
  await verifyEmail(server, owner)
  const game = await insertGame(server, owner, { visibility: 'public', ...values })
  await insertCover(server, game.uid)
  return game
}

export async function insertCover(server: TestServer, gameUid: string): Promise<void> {
  const objectKey = `images/${crypto.randomUUID().replaceAll('-', '')}.webp`
  await server.deps.db
    .insert(images)
    .values({ gameUid, kind: 'cover', objectKey, width: 1280, height: 720, size: 1000 })
}

export async function verifyEmail(server: TestServer, person: Person): Promise<void> {
  await server.deps.db.update(users).set({ emailVerified: true }).where(eq(users.id, person.uid))
  await forgetAccount(server.deps, server.deps.db, person.uid)
}

export async function insertAdmin(
  server: TestServer,
  gameUid: string,
  person: Person,
  state: 'invited' | 'accepted',
): Promise<void> {
  const acceptedAt = state === 'accepted' ? new Date() : null
  await server.deps.db.insert(gameAdmins).values({ gameUid, userUid: person.uid, acceptedAt })
}

export async function insertLicense(
  server: TestServer,
  gameUid: string,
  person: Person,
  values: Partial<typeof licenses.$inferInsert> = {},
): Promise<void> {
  await server.deps.db.insert(licenses).values({ gameUid, userUid: person.uid, source: 'claimed', ...values })
}

export async function setPlayMinutes(
  server: TestServer,
  gameUid: string,
  person: Person,
  minutes: number,
): Promise<void> {
  const seconds = minutes * 60
  await server.deps.db
    .insert(playTimes)
    .values({ gameUid, userUid: person.uid, seconds })
    .onConflictDoUpdate({ target: [playTimes.userUid, playTimes.gameUid], set: { seconds } })
}
