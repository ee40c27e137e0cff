import { openDatabase } from '../../../src/db/client.ts'
import { users } from '../../../src/db/schema/accounts.ts'
import { licenses } from '../../../src/db/schema/games/game-players.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { PLAYER_KEY_PREFIX } from '../../../src/domain/actor.ts'
import { insertPlayerKey } from '../../../src/features/accounts/queries.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createSecret, createUid } from '../../../src/lib/ids.ts'
import { readCpuSeconds, readMemory } from '../../helpers/processes/process-stats.ts'
import type { Environment, ServerProcess } from '../environment.ts'
import { judge, type Line, median, type Target } from '../report/line.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { startEntry, startPlayshelf, startS3 } from '../uploads/upload-run.ts'

const MB = 1_000_000
const PLAYERS = 200
const AT_ONCE = 8
/** How often each save is read: CPU time is counted in hundredths of a second, and all reads once take a few of them. */
const READS = 10
const NEAR = 0.7
/** Until the code of both servers is compiled. */
const WARM_UP_ROUNDS = 4
const PEAK_MB = 250

export const saves: Scenario = {
  name: 'saves',
  about: `saves of 1 MB written and read, against the same object store alone; ${PLAYERS} players at once`,
  engines: ['s3'],
  async run(environment) {
    await using s3 = await startS3(environment)
    const lines: Line[] = []
    for (const [kind, env] of Object.entries({ folder: {}, S3: s3.env })) {
      lines.push(...(await compareWithStore(environment, kind, env)))
      lines.push(await measureCrowd(environment, kind, env))
    }
    return lines
  },
}

type Env = Record<string, string>

interface Way {
  server: ServerProcess
  /** Writes or reads what one player has. */
  work(player: number): Promise<Response>
  /** How often each player does it. */
  times: number
}

/** A new body for each write, because the same bytes cost less. */
function makeBody(): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(MB)
  for (let at = 0; at < MB; at += 65_536) crypto.getRandomValues(body.subarray(at, at + 65_536))
  return body
}

type WayName = 'write' | 'read' | 'bare write' | 'bare write with SHA-256' | 'bare read'

/** In the order in which each round uses them. */
function waysOf({ gameUid, keys }: SavesData, ours: ServerProcess, bare: ServerProcess): [WayName, Way][] {
  const base = `${ours.url}/api/v1/player/games/${gameUid}/saves/main`
  const bearer = (player: number) => ({ authorization: `Bearer ${keys[player]}` })
  const revisions = new Map<number, string>()
  async function write(player: number): Promise<Response> {
    const known = revisions.get(player)
    const condition: Env = known === undefined ? { 'if-none-match': '*' } : { 'if-match': known }
    const headers = { ...bearer(player), ...condition }
    const answer = await fetch(base, { method: 'PUT', body: makeBody(), headers })
    revisions.set(player, answer.headers.get('etag') ?? '')
    return answer
  }
  const put = (path: string) => fetch(bare.url + path, { method: 'PUT', body: makeBody() })
  return [
    ['write', { server: ours, work: write, times: 1 }],
    ['read', { server: ours, work: (player) => fetch(base, { headers: bearer(player) }), times: READS }],
    ['bare write with SHA-256', { server: bare, work: (player) => put(`/${player}?sha256`), times: 1 }],
    ['bare write', { server: bare, work: (player) => put(`/${player}`), times: 1 }],
    ['bare read', { server: bare, work: (player) => fetch(`${bare.url}/${player}`), times: READS }],
  ]
}

/** Every player, one after the other. Returns the MB that the server moves in a second of CPU time. */
async function run({ server, work, times }: Way): Promise<number> {
  const before = await readCpuSeconds(server.pid)
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let turn = next++; turn < PLAYERS * times; turn = next++) {
        const answer = await work(turn % PLAYERS)
        if (!answer.ok) throw new Error(`The server answered ${answer.status}: ${await answer.text()}`)
        await answer.arrayBuffer()
      }
    }),
  )
  return (PLAYERS * times) / ((await readCpuSeconds(server.pid)) - before)
}

interface Comparison {
  measure: string
  own: WayName
  bare: WayName
  target?: Target
}

const TARGET: Target = { of: 'ratio', must: 'reach', value: NEAR }
const COMPARISONS: readonly Comparison[] = [
  { measure: 'write 1 MB, against the bare store', own: 'write', bare: 'bare write', target: TARGET },
  { measure: 'the same, where it computes SHA-256, too', own: 'write', bare: 'bare write with SHA-256' },
  { measure: 'read 1 MB, against the bare store', own: 'read', bare: 'bare read', target: TARGET },
]

async function compareWithStore(environment: Environment, kind: string, env: Env): Promise<Line[]> {
  await using servers = new AsyncDisposableStack()
  const ours = servers.use(await startPlayshelf(environment, { ROLE: 'api', ...env }))
  const bare = servers.use(await startEntry('bare-store.ts', await environment.settings(env)))
  const ways = waysOf(await insertSavePlayers(await environment.databaseUrl(), PLAYERS), ours, bare)
  const rounds: Map<WayName, number>[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + environment.pace.rounds; round += 1) {
    const figures = new Map<WayName, number>()
    for (const [name, way] of ways) figures.set(name, await run(way))
    if (round >= WARM_UP_ROUNDS) rounds.push(figures)
  }
  return COMPARISONS.map(({ measure, own, bare: baseline, target }) => {
    const figures = rounds.map((round) => ({
      own: round.get(own) ?? Number.NaN,
      bare: round.get(baseline) ?? Number.NaN,
    }))
    return judge({
      scenario: 'saves',
      measure: `${kind}, ${measure}`,
      unit: 'MB/CPU s',
      subject: median(figures.map((each) => each.own)),
      baseline: median(figures.map((each) => each.bare)),
      ratio: median(figures.map((each) => each.own / each.bare)),
      ...(target && { target }),
      details: { figures },
    })
  })
}

/** A new server, so that the memory of earlier runs does not count. */
async function measureCrowd(environment: Environment, kind: string, env: Env): Promise<Line> {
  await using server = await startPlayshelf(environment, { ROLE: 'api', ...env })
  const { gameUid, keys } = await insertSavePlayers(await environment.databaseUrl(), PLAYERS)
  const body = makeBody()
  const url = `${server.url}/api/v1/player/games/${gameUid}/saves/main`
  const answers = await Promise.all(
    keys.map(async (key) => {
      const headers = { authorization: `Bearer ${key}` }
      const made = await fetch(url, { method: 'PUT', body, headers: { ...headers, 'if-none-match': '*' } })
      const read = await fetch(url, { headers })
      await read.arrayBuffer()
      return made.status === 201 && read.status === 200
    }),
  )
  if (answers.includes(false)) throw new Error('Not every player could write and read')
  return judge({
    scenario: 'saves',
    measure: `${kind}, ${PLAYERS} players at once, peak RSS`,
    unit: 'MB',
    subject: await readMemory(server.pid, 'VmHWM'),
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: PEAK_MB },
  })
}

interface SavesData {
  gameUid: string
  /** One key for each player. */
  keys: string[]
}

/** A public game that keeps saves, and players with licences. */
async function insertSavePlayers(databaseUrl: string, count: number): Promise<SavesData> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  try {
    const { db } = database
    const people = Array.from({ length: count + 1 }, () => createUid())
    const [ownerUid = '', ...players] = people
    await db.insert(users).values(
      people.map((id) => ({
        id,
        name: 'Bench',
        email: `${id}@bench.example`,
        username: id.slice(-12),
      })),
    )
    const gameUid = createUid()
    await db.insert(games).values({
      uid: gameUid,
      ownerUid,
      assetType: 'game',
      visibility: 'public',
      name: 'Saves',
      vanityName: `saves-${gameUid.slice(-12)}`,
      savesEnabled: true,
    })
    await db
      .insert(licenses)
      .values(players.map((userUid) => ({ userUid, gameUid, source: 'claimed' as const })))
    const keys: string[] = []
    for (const userUid of players) {
      const key = PLAYER_KEY_PREFIX + createSecret()
      const values = { userUid, label: 'bench', keyHash: sha256Hex(key), last4: key.slice(-4) }
      await insertPlayerKey(db, { ...values, scopes: ['player:saves'] })
      keys.push(key)
    }
    return { gameUid, keys }
  } finally {
    await database.dispose()
  }
}
