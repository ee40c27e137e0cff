import { type ProbeResult, runProbe } from '../../clients/probe.ts'
import type { Deps } from '../../deps.ts'
import { memoize } from '../../lib/flow/memoize.ts'
import { VERSION } from '../../lib/version.ts'
import { ok } from '../output/envelope.ts'

/** The complete body of /health. */
export const ALIVE = ok({ status: 'ok' as const, version: VERSION })

export interface Readiness {
  status: 'ready' | 'degraded' | 'down' | 'stopping'
  services: ProbeResult[]
}

const FRESH_MS = 1000

/** Cached for a second, so that frequent checks cost little. */
export function createReadiness(deps: Deps, isStopping: () => boolean): () => Promise<Readiness> {
  const probeServices = memoize(FRESH_MS, () => Promise.all(deps.probes.map(runProbe)))
  let services: ProbeResult[] = []
  return async () => {
    // A process that stops says so at once.
    if (!isStopping()) services = await probeServices()
    return { status: isStopping() ? 'stopping' : judge(services), services }
  }
}

function judge(services: readonly ProbeResult[]): Readiness['status'] {
  if (services.some((service) => service.required && !service.up)) return 'down'
  return services.some((service) => !service.up) ? 'degraded' : 'ready'
}
