import postgres from 'postgres'

import { PLAYER_KEY_PREFIX } from '../../../../src/domain/actor.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { createSecret, createUid } from '../../../../src/lib/ids.ts'

export const FOLLOWERS = 1_000_000
export const PLAYERS = 100_000
export const FOLLOWS_EACH = 50
const GAMES = 5000
const EVENTS_PER_GAME = 20

export interface FollowData {
  /** A million follow the one, nobody the other. */
  popular: string
  unknown: string
  /** Keys of players who follow FOLLOWS_EACH games each. */
  keys: string[]
}

/** Uids that are the same in each statement, without remembering them. */
const uidOf = (kind: string, number: string) => `md5('${kind} ' || ${number})::uuid`

/** Fills a database of its own: triggers do not look whether rows exist that others refer to. */
export async function fillFollows(databaseUrl: string, keyCount: number): Promise<FollowData> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  const keys = Array.from({ length: keyCount }, () => PLAYER_KEY_PREFIX + createSecret())
  try {
    await sql.unsafe(`set session_replication_role = replica`)
    await sql.unsafe(`
      insert into users (id, name, email, username)
      select ${uidOf('user', 'n')}, 'Player', 'player-' || n || '@bench.example', 'player-' || n
      from generate_series(1, ${FOLLOWERS}) as n`)
    await sql.unsafe(`
      insert into games (uid, owner_uid, asset_type, name, vanity_name, visibility, status, published_at, public_since)
      select ${uidOf('game', 'n')}, ${uidOf('user', '(n + 1)')}, 'game', 'Game ' || n, 'game-' || n, 'public', 'released', now(), now()
      from generate_series(0, ${GAMES}) as n`)
    await sql.unsafe(`
      insert into game_follows (user_uid, game_uid, created_at)
      select ${uidOf('user', 'n')}, ${uidOf('game', '1')}, now() - interval '100 days'
      from generate_series(1, ${FOLLOWERS}) as n`)
    await sql.unsafe(`
      insert into game_follows (user_uid, game_uid, created_at)
      select ${uidOf('user', 'n')}, ${uidOf('game', `2 + (n * 31 + turn * 97) % ${GAMES - 1}`)}, now() - interval '100 days'
      from generate_series(1, ${PLAYERS}) as n, generate_series(2, ${FOLLOWS_EACH}) as turn on conflict do nothing`)
    await sql.unsafe(`
      insert into notice_events (uid, kind, game_uid, developer_uid, platforms, facts, at, burst_at)
      select gen_random_uuid(), 'release', ${uidOf('game', 'n')}, ${uidOf('user', '(n + 1)')}, '{linux}',
        jsonb_build_object('title', turn || '.0 for Linux'), at, at
      from generate_series(1, ${GAMES}) as n, generate_series(1, ${EVENTS_PER_GAME}) as turn,
        lateral (select now() - (turn * 4 + n % 4) * interval '1 day' as at) as moment`)
    for (const [index, key] of keys.entries()) {
      await sql`
        insert into player_keys (uid, user_uid, label, key_hash, last4, scopes)
        values (${createUid()}, md5('user ' || ${index + 1}::integer)::uuid, 'bench', ${sha256Hex(key)}, ${key.slice(-4)}, '{player:read}')`
    }
    await sql.unsafe('analyze')
    const [row] = await sql<{ popular: string; unknown: string }[]>`
      select md5('game 1')::uuid as popular, md5('game 0')::uuid as unknown`
    if (!row) throw new Error('The database has no listings')
    return { ...row, keys }
  } finally {
    await sql.end()
  }
}

/** Lets an account follow as much as each of the players does. */
export async function followLikePlayers(databaseUrl: string, email: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 })
  try {
    await sql.unsafe(`
      insert into game_follows (user_uid, game_uid, created_at)
      select account.id, follow.game_uid, follow.created_at
      from users as account, game_follows as follow
      where account.email = '${email}' and follow.user_uid = ${uidOf('user', '1')}`)
  } finally {
    await sql.end()
  }
}
