import { sql } from 'drizzle-orm'
import { SignJWT } from 'jose'

import { type Database, openDatabase } from '../../src/db/client.ts'
import { extstoreSessions } from '../../src/db/schema/extstore.ts'
import { createUid } from '../../src/lib/ids.ts'
import { createKeyring } from '../../src/lib/keyring.ts'
import { insertBareGame } from '../helpers/bare-game.ts'
import { insertLink, type TestLink } from '../helpers/extstore/extstore-links.ts'

const LIFE_SECONDS = 3600
/** Inserting a million rows takes longer than requests may. */
const INSERT_TIMEOUT_MS = 10 * 60_000
const PLAYER = '76561198000000000'

/** Inserts several listings with sign-in on, because the limit of one is below the load. */
export async function insertGames(settings: Record<string, string>, count: number): Promise<TestLink[]> {
  const keyring = createKeyring(settings.SECRET_KEY ?? '', null)
  return await withDatabase(settings, async (db) => {
    const links: TestLink[] = []
    for (let nth = 0; nth < count; nth += 1) {
      links.push(await insertLink({ db, keyring }, await insertBareGame(db)))
    }
    return links
  })
}

/** Spreads the sessions over the games and many players. Returns one more session of each game. */
export async function insertSessions(
  settings: Record<string, string>,
  links: readonly TestLink[],
  total: number,
): Promise<string[]> {
  const uids = links.map(() => createUid())
  const expiresAt = new Date(Date.now() + LIFE_SECONDS * 1000)
  await withDatabase(settings, async (db) => {
    const games = sql.param(links.map(({ gameUid }) => gameUid))
    await db.execute(sql`
      insert into ${extstoreSessions} (uid, game_uid, extstore_id, ip, expires_at)
      select gen_random_uuid(), (${games}::uuid[])[1 + nth % ${links.length}::int],
        (76561198000000000 + nth / 3)::text, '10.0.0.1', now() + interval '1 hour'
      from generate_series(1, ${total}::int) as nth`)
    await db.insert(extstoreSessions).values(
      links.map(({ gameUid }, nth) => ({
        uid: uids[nth] ?? '',
        gameUid,
        extstoreId: PLAYER,
        ip: '10.0.0.1',
        expiresAt,
      })),
    )
    await db.execute(sql`vacuum analyze ${extstoreSessions}`)
  })
  return uids
}

export async function signFor(link: TestLink, jti: string, issuer: string): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: `extstore:${link.appId}`, gid: link.gameUid, sub: PLAYER }
  return await new SignJWT({ ...claims, own: true, vac: false, jti, iat, exp: iat + LIFE_SECONDS })
    .setProtectedHeader({ alg: 'HS512', typ: 'JWT' })
    .sign(new TextEncoder().encode(link.authKey))
}

async function withDatabase<Result>(
  { DATABASE_URL = '' }: Record<string, string>,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(DATABASE_URL, { maxConnections: 1, statementTimeoutMs: INSERT_TIMEOUT_MS })
  try {
    return await work(database.db)
  } finally {
    await database.dispose()
  }
}
