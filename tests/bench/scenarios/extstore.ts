import { join } from 'node:path'

import { sql } from 'drizzle-orm'
import { SignJWT } from 'jose'

import { type Database, openDatabase } from '../../../src/db/client.ts'
import { extstoreSessions } from '../../../src/db/schema/extstore.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { createKeyring } from '../../../src/lib/keyring.ts'
import { insertBareGame } from '../../helpers/bare-game.ts'
import { startExtStoreDouble } from '../../helpers/ext-store-double/double.ts'
import { insertLink, type TestLink } from '../../helpers/extstore/extstore-links.ts'
import { readCpuSeconds } from '../../helpers/processes/process-stats.ts'
import { compare } from '../compare.ts'
import { ROOT, SERVERS, startServerProcess } from '../environment.ts'
import { sendLoad } from '../load/load.ts'
import { judge } from '../report/line.ts'
import type { Scenario } from './scenario.ts'

const SESSIONS = 1_000_000
/** The limit is 1,200 requests a minute per game. */
const GAMES = 300
const ADDRESSES = 4096
const ISSUER = 'https://bench.example'
const JSON_BODY = { 'content-type': 'application/json' }
const SERVE = [process.execPath, join(ROOT, 'src/main.ts'), 'serve']

export const verifyToken: Scenario = {
  name: 'verify-token',
  about: `game servers ask about ${GAMES} tokens again and again, among ${SESSIONS.toLocaleString('en')} sessions, against a bare Elysia POST with the same answer`,
  async run(environment) {
    const settings = await environment.settings({ ISSUER })
    const links = await insertGames(settings, GAMES)
    const sessions = await insertSessions(settings, links, SESSIONS)
    await using servers = new AsyncDisposableStack()
    const ours = await startServerProcess({ command: SERVE, path: '/health', env: settings })
    servers.defer(() => ours.stop())
    const variants = await Promise.all(
      links.map(async (link, nth) => ({
        path: `/api/v1/extstore/${link.gameUid}/server/verify`,
        headers: { ...JSON_BODY, authorization: `Bearer ${link.authKey}` },
        body: JSON.stringify({ token: await signFor(link, sessions[nth] ?? '', ISSUER) }),
      })),
    )
    const [first] = variants
    if (!first) throw new Error('There is nothing to verify')
    const { headers, body } = first
    // Warm-up: the first request of a game is not measured.
    let answer = ''
    for (const { path, ...request } of variants) {
      answer = await (await fetch(ours.url + path, { method: 'POST', ...request })).text()
    }
    const bare = await startServerProcess({
      command: [process.execPath, join(SERVERS, 'bare-answer.ts')],
      path: '/',
      env: { ANSWER: answer },
    })
    servers.defer(() => bare.stop())
    const comparison = await compare(
      { server: ours, request: { url: ours.url, method: 'POST', variants, status: 200 } },
      { server: bare, request: { url: `${bare.url}/`, method: 'POST', headers, body, status: 200 } },
      environment.pace,
    )
    return [
      judge({
        scenario: 'verify-token',
        measure: 'requests per CPU second',
        unit: 'req',
        subject: comparison.subject.requestsPerCpuSecond,
        baseline: comparison.baseline.requestsPerCpuSecond,
        ratio: comparison.ratio,
        target: { of: 'ratio', must: 'reach', value: 0.2 },
        details: comparison,
      }),
    ]
  },
}

export const signIn: Scenario = {
  name: 'sign-in',
  about: 'players exchange tickets for tokens, with the store’s double answering at once',
  async run(environment) {
    await using servers = new AsyncDisposableStack()
    const double = await startExtStoreDouble()
    servers.defer(() => double.stop())
    const settings = await environment.settings({ TRUST_PROXY: '1', ...double.env })
    const links = await insertGames(settings, GAMES)
    const variants = links.map(({ gameUid, appId, webApiKey, ticketKey }, nth) => {
      double.addKey(webApiKey, [appId])
      const extstoreId = String(76_561_198_000_000_000n + BigInt(nth))
      const ticket = double.issueTicket({ appId, extstoreId, identity: ticketKey })
      const path = `/api/v1/extstore/${gameUid}/auth`
      return { path, headers: JSON_BODY, body: JSON.stringify({ ticket }) }
    })
    const ours = await startServerProcess({ command: SERVE, path: '/health', env: settings })
    servers.defer(() => ours.stop())
    const request = { url: ours.url, method: 'POST', variants, addresses: ADDRESSES, status: 200 } as const
    const { warmUpSeconds, seconds } = environment.pace
    await sendLoad(request, warmUpSeconds)
    const before = await readCpuSeconds(ours.pid)
    const result = await sendLoad(request, seconds)
    const cpuMs = ((await readCpuSeconds(ours.pid)) - before) * 1000
    return [
      judge({
        scenario: 'sign-in',
        measure: 'CPU time per sign-in',
        unit: 'ms',
        subject: cpuMs / result.requests,
        baseline: null,
        target: { of: 'subject', must: 'stay below', value: 3 },
        details: result,
      }),
    ]
  },
}

const LIFE_SECONDS = 3600
/** Inserting a million rows takes longer than requests may. */
const INSERT_TIMEOUT_MS = 10 * 60_000
const PLAYER = '76561198000000000'

/** Inserts several listings with sign-in on, because the limit of one is below the load. */
async function insertGames(settings: Record<string, string>, count: number): Promise<TestLink[]> {
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
async function insertSessions(
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

async function signFor(link: TestLink, jti: string, issuer: string): Promise<string> {
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
