import { Elysia, t } from 'elysia'

import { type ProbeResult, runProbe } from '../clients/probe.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { memoize } from '../lib/flow/memoize.ts'
import { VERSION } from '../lib/version.ts'
import { Envelope, ok, OneOf } from './input/schema.ts'
import { openRead } from './server/admission.ts'

const Liveness = t.Object({ status: t.Literal('ok'), version: t.String() })

export const Readiness = t.Object({
  status: OneOf(['ready', 'degraded', 'down', 'stopping']),
  services: t.Array(
    t.Object({
      name: t.String({ examples: ['database'] }),
      using: t.String({ examples: ['postgres'] }),
      status: OneOf(['up', 'down']),
      required: t.Boolean(),
      latency_ms: t.Number(),
    }),
  ),
})
export type Readiness = typeof Readiness.static

/** The complete body of /health. */
export const ALIVE = ok({ status: 'ok' as const, version: VERSION })

interface ReadinessState {
  status: 'ready' | 'degraded' | 'down' | 'stopping'
  services: ProbeResult[]
}

const FRESH_MS = 1000

/** Cached for a second, so that frequent checks cost little. */
export function createReadiness(deps: Deps, isStopping: () => boolean): () => Promise<ReadinessState> {
  const probeServices = memoize(FRESH_MS, () => Promise.all(deps.probes.map(runProbe)))
  let services: ProbeResult[] = []
  return async () => {
    // A stopping process reports that without probing its services.
    if (!isStopping()) services = await probeServices()
    return { status: isStopping() ? 'stopping' : judge(services), services }
  }
}

function judge(services: readonly ProbeResult[]): ReadinessState['status'] {
  if (services.some((service) => service.required && !service.up)) return 'down'
  return services.some((service) => !service.up) ? 'degraded' : 'ready'
}

const tags = ['Operations']

/** Served by every role, including workers. */
export function operationRoutes(readReadiness: () => Promise<ReadinessState>, isStuck: () => boolean) {
  return new Elysia({ name: 'operations' })
    .get('/health', () => (isStuck() ? refuseStuck() : ALIVE), {
      ...openRead({ tags, summary: 'Is the process alive? 503 when only a restart helps' }),
      response: Envelope(Liveness),
    })
    .get('/ready', async () => ok(show(await readReadiness())), {
      ...openRead({ tags, summary: 'Can it do its work? 503 names what is down' }),
      response: Envelope(Readiness),
    })
}

function refuseStuck(): never {
  throw new AppError('service_down', {
    message: 'This process gets no answer from the database, which answers others; restart the process.',
  })
}

/** Leaves out the reasons, which may contain internal addresses: they are in the log and in `doctor`. */
function show(state: ReadinessState): Readiness {
  const services = state.services.map(({ name, using, up, required, latency_ms }) => ({
    name,
    using,
    status: up ? ('up' as const) : ('down' as const),
    required,
    latency_ms,
  }))
  if (state.status === 'stopping') {
    throw new AppError('service_down', {
      message: 'This process is stopping.',
      data: { status: state.status, services },
    })
  }
  if (state.status === 'down') {
    const names = services.filter((service) => service.status === 'down').map((service) => service.name)
    const message = `Not available: ${names.join(', ')}.`
    throw new AppError('service_down', { message, data: { status: state.status, services } })
  }
  return { status: state.status, services }
}
