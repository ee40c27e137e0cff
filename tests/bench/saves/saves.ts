import { readCpuSeconds, readMemory } from '../../helpers/processes/process-stats.ts'
import type { Environment } from '../environment.ts'
import { judge, type Line } from '../report/line.ts'
import { median } from '../report/statistics.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { ServerProcess } from '../server-process.ts'
import { startEntry, startPlayshelf, startS3 } from '../uploads/upload-run.ts'
import { insertSavePlayers, type SavesData } from './saves-data.ts'

const MB = 1_000_000
const PLAYERS = 200
const AT_ONCE = 8
const NEAR = 0.7
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
  write(player: number, body: Uint8Array<ArrayBuffer>): Promise<Response>
  read(player: number): Promise<Response>
}

/** A new body for each write, because the same bytes cost less. */
function makeBody(): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(MB)
  for (let at = 0; at < MB; at += 65_536) crypto.getRandomValues(body.subarray(at, at + 65_536))
  return body
}

function waysOf({ gameUid, keys }: SavesData, ours: ServerProcess, bare: ServerProcess): [Way, Way] {
  const base = `${ours.url}/api/v1/player/games/${gameUid}/saves/main`
  const bearer = (player: number) => ({ authorization: `Bearer ${keys[player]}` })
  const revisions = new Map<number, string>()
  const ownWrite: Way['write'] = async (player, body) => {
    const known = revisions.get(player)
    const condition: Env = known === undefined ? { 'if-none-match': '*' } : { 'if-match': known }
    const headers = { ...bearer(player), ...condition }
    const answer = await fetch(base, { method: 'PUT', body, headers })
    revisions.set(player, answer.headers.get('etag') ?? '')
    return answer
  }
  return [
    { server: ours, write: ownWrite, read: (player) => fetch(base, { headers: bearer(player) }) },
    {
      server: bare,
      write: (player, body) => fetch(`${bare.url}/${player}`, { method: 'PUT', body }),
      read: (player) => fetch(`${bare.url}/${player}`),
    },
  ]
}

/** Each player once. Returns the MB that the server moves in a second of CPU time. */
async function run({ server }: Way, work: (player: number) => Promise<Response>): Promise<number> {
  const before = await readCpuSeconds(server.pid)
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let player = next++; player < PLAYERS; player = next++) {
        const answer = await work(player)
        if (!answer.ok) throw new Error(`The server answered ${answer.status}: ${await answer.text()}`)
        await answer.arrayBuffer()
      }
    }),
  )
  return PLAYERS / ((await readCpuSeconds(server.pid)) - before)
}

async function compareWithStore(environment: Environment, kind: string, env: Env): Promise<Line[]> {
  await using servers = new AsyncDisposableStack()
  const ours = servers.use(await startPlayshelf(environment, { ROLE: 'api', ...env }))
  const bare = servers.use(await startEntry('bare-store.ts', await environment.settings(env)))
  const data = await insertSavePlayers(await environment.databaseUrl(), PLAYERS)
  const ways = waysOf(data, ours, bare)
  const rounds: Record<'write' | 'read', number[][]> = { write: [], read: [] }
  // The first round warms up.
  for (let round = 0; round <= environment.pace.rounds; round += 1) {
    const written: number[] = []
    const read: number[] = []
    for (const way of ways) {
      written.push(await run(way, (player) => way.write(player, makeBody())))
      read.push(await run(way, (player) => way.read(player)))
    }
    if (round === 0) continue
    rounds.write.push(written)
    rounds.read.push(read)
  }
  return Object.entries(rounds).map(([what, figures]) =>
    judge({
      scenario: 'saves',
      measure: `${kind}, ${what} 1 MB, against the bare store`,
      unit: 'MB/CPU s',
      subject: median(figures.map(([own = Number.NaN]) => own)),
      baseline: median(figures.map(([, store = Number.NaN]) => store)),
      ratio: median(figures.map(([own = Number.NaN, store = Number.NaN]) => own / store)),
      target: { of: 'ratio', must: 'reach', value: NEAR },
      details: { figures },
    }),
  )
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
