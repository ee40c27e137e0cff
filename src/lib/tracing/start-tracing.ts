import type { Logger } from '../log.ts'
import type { TraceSettings, Tracing } from './tracing.ts'

/** null unless configured: the libraries are only loaded when a collector is set. */
export async function startTracing(settings: TraceSettings | null, log: Logger): Promise<Tracing | null> {
  if (settings === null) return null
  const { createTracing } = await import('./tracing-otel.ts')
  return createTracing(settings, log)
}
