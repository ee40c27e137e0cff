import { Elysia } from 'elysia'

import { AppError } from '../../errors.ts'
import { Envelope, ok } from '../output/envelope.ts'
import { openRead } from '../server/admission.ts'
import { Liveness, Readiness } from './model.ts'
import { ALIVE, type Readiness as State } from './service.ts'

const tags = ['Operations']

/** Served by every role, including workers. */
export function operationRoutes(readReadiness: () => Promise<State>, isStuck: () => boolean) {
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
function show(state: State): Readiness {
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
