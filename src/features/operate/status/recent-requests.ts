const MINUTE_MS = 60_000
export const RECENT_MINUTES = 60
const SHOWN = 10

interface Answered {
  method: string
  route: string
  status: number
  seconds: number
}

interface RouteMinute {
  count: number
  errors: number
  seconds: number
  slowest: number
}

interface Minute {
  /** Minutes since 1970. */
  at: number
  routes: Map<string, RouteMinute>
}

interface RouteFacts {
  method: string
  route: string
  count: number
  errors: number
  mean_ms: number
  slowest_ms: number
}

interface RecentFacts {
  since: string
  total: number
  /** Responses with status 500 and above. */
  errors: number
  /** Requests of each minute, oldest first. */
  minutes: number[]
  failing: RouteFacts[]
  slowest: RouteFacts[]
}

export interface RecentRequests {
  add(answered: Answered): void
  read(): RecentFacts
}

/** Counts this process's requests of the last hour. Memory use is bounded by the number of routes. */
export function createRecentRequests(now: () => number = Date.now): RecentRequests {
  const startedAt = now()
  const ring: Minute[] = []

  function minuteAt(at: number): Minute {
    const slot = at % RECENT_MINUTES
    const known = ring[slot]
    if (known?.at === at) return known
    return (ring[slot] = { at, routes: new Map() })
  }

  return {
    add({ method, route, status, seconds }) {
      const { routes } = minuteAt(Math.floor(now() / MINUTE_MS))
      const key = `${method} ${route}`
      const facts = routes.get(key) ?? { count: 0, errors: 0, seconds: 0, slowest: 0 }
      facts.count += 1
      if (status >= 500) facts.errors += 1
      facts.seconds += seconds
      facts.slowest = Math.max(facts.slowest, seconds)
      routes.set(key, facts)
    },

    read() {
      const last = Math.floor(now() / MINUTE_MS)
      const first = last - RECENT_MINUTES + 1
      const recent = ring.filter((minute) => minute.at >= first)
      const minutes = Array<number>(RECENT_MINUTES).fill(0)
      for (const { at, routes } of recent)
        minutes[at - first] = [...routes.values()].reduce((sum, { count }) => sum + count, 0)
      const routes = sumRoutes(recent)
      return {
        since: new Date(Math.max(startedAt, first * MINUTE_MS)).toISOString(),
        total: routes.reduce((sum, { count }) => sum + count, 0),
        errors: routes.reduce((sum, { errors }) => sum + errors, 0),
        minutes,
        failing: routes
          .filter(({ errors }) => errors > 0)
          .toSorted((a, b) => b.errors - a.errors)
          .slice(0, SHOWN),
        slowest: routes.toSorted((a, b) => b.mean_ms - a.mean_ms).slice(0, SHOWN),
      }
    },
  }
}

function sumRoutes(minutes: readonly Minute[]): RouteFacts[] {
  const sums = new Map<string, RouteMinute>()
  for (const [key, facts] of minutes.flatMap(({ routes }) => [...routes])) {
    const sum = sums.get(key) ?? { count: 0, errors: 0, seconds: 0, slowest: 0 }
    sum.count += facts.count
    sum.errors += facts.errors
    sum.seconds += facts.seconds
    sum.slowest = Math.max(sum.slowest, facts.slowest)
    sums.set(key, sum)
  }
  return [...sums].map(([key, { count, errors, seconds, slowest }]) => {
    const [method = '', route = ''] = key.split(' ')
    return { method, route, count, errors, mean_ms: toMs(seconds / count), slowest_ms: toMs(slowest) }
  })
}

function toMs(seconds: number): number {
  return Math.round(seconds * 1e4) / 10
}
