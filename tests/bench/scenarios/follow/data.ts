import postgres, { type Sql } from 'postgres'

import { PLAYER_KEY_PREFIX } from '../../../../src/domain/actor.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { createSecret, createUid } from '../../../../src/lib/ids.ts'

export const FOLLOWERS = 1_000_000
/** Of the same game, before it has them all. */
export const FEW = 10_000
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

/** Fills a database of its own, with FEW follows of the popular game. */
export async function fillFollows(databaseUrl: string, keyCount: number): Promise<FollowData> {
  const keys = Array.from({ length: keyCount }, () => PLAYER_KEY_PREFIX + createSecret())
  return await withSession(databaseUrl, async (sql) => {
    await sql.unsafe(`
      insert into users (id, name, email, username)
      select ${uidOf('user', 'n')}, 'Player', 'player-' || n || '@bench.example', 'player-' || n
      from generate_series(1, ${FOLLOWERS}) as n`)
    await sql.unsafe(`
      insert into games (uid, owner_uid, asset_type, name, vanity_name, visibility, status, published_at, public_since)
      select ${uidOf('game', 'n')}, ${uidOf('user', '(n + 1)')}, 'game', 'Game ' || n, 'game-' || n, 'public', 'released', now(), now()
      from generate_series(0, ${GAMES}) as n`)
    await withoutIndexes(sql, 'game_follows', async () => {
      await followPopular(sql, 1, FEW)
      await sql.unsafe(`
        insert into game_follows (user_uid, game_uid, created_at)
        select ${uidOf('user', 'n')}, ${uidOf('game', `2 + (n * 31 + turn * 97) % ${GAMES - 1}`)}, now() - interval '100 days'
        from generate_series(1, ${PLAYERS}) as n, generate_series(2, ${FOLLOWS_EACH}) as turn`)
    })
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
    await sql.unsafe('vacuum analyze')
    // From here on it would work beside what is measured.
    for (const table of ['users', 'game_follows', 'notice_events']) {
      await sql.unsafe(`alter table ${table} set (autovacuum_enabled = off)`)
    }
    const [row] = await sql<{ popular: string; unknown: string }[]>`
      select md5('game 1')::uuid as popular, md5('game 0')::uuid as unknown`
    if (!row) throw new Error('The database has no listings')
    return { ...row, keys }
  })
}

/** Lets all others follow the popular game, too. */
export async function growFollows(databaseUrl: string): Promise<void> {
  await withSession(databaseUrl, async (sql) => {
    await withoutIndexes(sql, 'game_follows', () => followPopular(sql, FEW + 1, FOLLOWERS))
    await sql.unsafe('vacuum analyze game_follows')
    await sql.unsafe('checkpoint')
  })
}

async function followPopular(sql: Sql, from: number, to: number): Promise<void> {
  await sql.unsafe(`
    insert into game_follows (user_uid, game_uid, created_at)
    select ${uidOf('user', 'n')}, ${uidOf('game', '1')}, now() - interval '100 days'
    from generate_series(${from}, ${to}) as n`)
}

/** Triggers do not look whether rows exist that others refer to. */
async function withSession<Result>(url: string, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await sql.unsafe(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`)
    return await work(sql)
  } finally {
    await sql.end()
  }
}

/** Building them afterwards takes a tenth of the time. */
async function withoutIndexes(sql: Sql, table: string, fill: () => Promise<void>): Promise<void> {
  const indexes = await sql<{ name: string; definition: string; constraint: string | null }[]>`
    select index.relname as name, pg_get_indexdef(index.oid) as definition, pg_get_constraintdef(found.oid) as constraint
    from pg_index join pg_class as index on index.oid = indexrelid left join pg_constraint as found on conindid = index.oid
    where indrelid = ${table}::regclass`
  for (const { name, constraint } of indexes) {
    await sql.unsafe(constraint ? `alter table ${table} drop constraint ${name}` : `drop index ${name}`)
  }
  await fill()
  for (const { name, definition, constraint } of indexes) {
    await sql.unsafe(constraint ? `alter table ${table} add constraint ${name} ${constraint}` : definition)
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
