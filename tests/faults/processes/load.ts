import type { Listing } from '../../../src/features/catalog/pages/model.ts'
import { readData } from '../../helpers/json.ts'
import type { GameRow } from '../../helpers/listings.ts'
import { type Person, randomAddress } from '../../helpers/people.ts'
import type { ReachableServer } from '../../helpers/server.ts'
import { PROMPT_MS } from '../../helpers/wait.ts'

const TIMEOUT_MS = 20_000
const READER_PAUSE_MS = 20
/** Below the limit of writes to one listing. */
const WRITER_PAUSE_MS = 1500

export interface LoadFailure {
  what: string
  reason: string
  startedAt: number
  endedAt: number
}

export interface LoadReport {
  requests: number
  failures: LoadFailure[]
  /** Changes that were not visible everywhere soon. */
  stale: string[]
}

export interface Load {
  stop(): Promise<LoadReport>
}

export interface Visited {
  owner: Person
  games: readonly GameRow[]
  /** Headers with a player key. */
  player: Record<string, string>
}

/** Readers and writers that use the store through `server` until stopped. */
export function startLoad(server: ReachableServer, { owner, games, player }: Visited): Load {
  const report: LoadReport = { requests: 0, failures: [], stale: [] }
  let isStopped = false

  async function ask(path: string, init: RequestInit = {}): Promise<Response | null> {
    const startedAt = performance.now()
    const fail = (reason: string) => {
      const what = `${init.method ?? 'GET'} ${path}`
      report.failures.push({ what, reason, startedAt, endedAt: performance.now() })
    }
    report.requests += 1
    try {
      const headers = new Headers(init.headers)
      if (!headers.has('x-forwarded-for')) headers.set('x-forwarded-for', randomAddress())
      const answer = await server.fetch(path, { ...init, headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const body = await answer.text()
      if (answer.ok) return new Response(body, answer)
      fail(`${answer.status} ${body.slice(0, 200)}`)
    } catch (error) {
      fail(String(error))
    }
    return null
  }

  async function read(game: GameRow): Promise<void> {
    const account = { cookie: owner.cookie, 'x-forwarded-for': owner.address }
    const reads: readonly (readonly [path: string, init?: RequestInit])[] = [
      [`/api/v1/public/games/${game.uid}`],
      [`/games/${game.vanityName}`, { headers: { accept: 'text/html' } }],
      ['/api/v1/public/search?q=lighthouse'],
      ['/api/v1/private/me', { headers: account }],
      [`/api/v1/public/games/${game.vanityName}`, { headers: player }],
    ]
    while (!isStopped) {
      for (const [path, init] of reads) {
        await ask(path, init)
        await Bun.sleep(READER_PAUSE_MS)
      }
    }
  }

  async function write(game: GameRow): Promise<void> {
    for (let count = 0; !isStopped; count += 1) {
      const tagline = `Repair the stars, edition ${count}.`
      const changed = await ask(`/api/v1/private/games/${game.uid}`, {
        method: 'PATCH',
        headers: {
          'content-type': 'application/json',
          origin: server.url,
          cookie: owner.cookie,
          'x-forwarded-for': owner.address,
        },
        body: JSON.stringify({ tagline }),
      })
      if (changed) await expectFresh(game, tagline)
      await Bun.sleep(WRITER_PAUSE_MS)
    }
  }

  /** Each read may be answered by another process. */
  async function expectFresh(game: GameRow, tagline: string): Promise<void> {
    const changedAt = performance.now()
    for (let hits = 0; hits < 4 && !isStopped;) {
      const askedAt = performance.now()
      const page = await ask(`/api/v1/public/games/${game.uid}`)
      if (!page) return
      if ((await readData<Listing>(page)).tagline === tagline) hits += 1
      else if (askedAt - changedAt > PROMPT_MS) return void report.stale.push(`${game.name}: ${tagline}`)
    }
  }

  const clients = games.flatMap((game) => [read(game), read(game), write(game)])
  return {
    async stop() {
      isStopped = true
      await Promise.all(clients)
      return report
    },
  }
}
