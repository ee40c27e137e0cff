import { createRandom, type Random } from '../../../src/lib/random.ts'
import type { Account, Target } from './target.ts'

export interface VisitorReport {
  /** Milliseconds of every request that was answered well. */
  times: number[]
  failures: string[]
}

const TIMEOUT_MS = 60_000
/** People look at what they got before they ask again. */
const PAUSE_MS = 50
const WORDS = ['light', 'star', 'garden', 'moss', 'river', 'night', 'a', 'puzzle']

/** Honest people who search, open pages and look at their account; each request must succeed. */
export async function visit(target: Target, seconds: number): Promise<VisitorReport> {
  const report: VisitorReport = { times: [], failures: [] }
  const end = performance.now() + seconds * 1000
  const ofVisitor = async (visitor: Account, number: number) => {
    const random = createRandom(number)
    while (performance.now() < end) {
      await ask(target, random, visitor, report)
      await Bun.sleep(PAUSE_MS)
    }
  }
  await Promise.all(target.visitors.map(ofVisitor))
  return report
}

async function ask(target: Target, random: Random, visitor: Account, report: VisitorReport): Promise<void> {
  const headers = { 'x-forwarded-for': visitor.address }
  const account = { ...headers, cookie: visitor.cookie }
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
