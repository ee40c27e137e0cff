import { createRandom, type Random } from '../../../src/lib/random.ts'
import type { Target } from './target.ts'

export interface VisitorReport {
  /** Milliseconds of every request that was answered well. */
  times: number[]
  failures: string[]
}

const VISITORS = 20
const TIMEOUT_MS = 60_000
/** People look at what they got before they ask again. */
const PAUSE_MS = 50
const WORDS = ['light', 'star', 'garden', 'moss', 'river', 'night', 'a', 'puzzle']

/** Honest people who search, open pages and look at their account; each request must succeed. */
export async function visit(target: Target, seconds: number): Promise<VisitorReport> {
  const report: VisitorReport = { times: [], failures: [] }
  const end = performance.now() + seconds * 1000
  const visitor = async (number: number) => {
    const random = createRandom(number)
    while (performance.now() < end) {
      await ask(target, random, number, report)
      await Bun.sleep(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: VISITORS }, (_, number) => visitor(number)))
  return report
}

async function ask(target: Target, random: Random, number: number, report: VisitorReport): Promise<void> {
  // Honest people come from everywhere.
  const headers = { 'x-forwarded-for': `10.${1 + number}.1.1` }
  const account = { ...headers, cookie: target.visitor.cookie }
  const [path, init] = random.pick([
    [`/api/v1/public/search?q=${random.pick(WORDS)}&page=${1 + random.below(3)}`, { headers }],
    [`/api/v1/public/search?exclude_tags=${random.pick(WORDS)}`, { headers }],
    [`/api/v1/public/games/${random.pick(target.games)}`, { headers }],
    ['/api/v1/private/me', { headers: account }],
    ['/api/v1/private/library', { headers: account }],
  ] as const)
  const started = performance.now()
  try {
    const response = await fetch(target.url + path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = await response.text()
    if (response.ok) report.times.push(performance.now() - started)
    else report.failures.push(`${path} → ${response.status} ${text.slice(0, 200)}`)
  } catch (error) {
    report.failures.push(`${path} → ${error instanceof Error ? error.message : 'failed'}`)
  }
}
