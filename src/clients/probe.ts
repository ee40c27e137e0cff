import { withTimeout } from '../lib/flow/with-timeout.ts'

/** A configured service and how to check that it is available. */
export interface Probe {
  name:
    | 'database'
    | 'replica'
    | 'storage'
    | 'disk'
    | 'clean-up'
    | 'search'
    | 'scanner'
    | 'rate limits'
    | 'mail'
    | 'payments'
  /** The configured implementation. */
  using: string
  /**
   * Nothing works without a required service; without another, features are slower, delayed or per process.
   */
  required: boolean
  /** What to do when the check fails. */
  advice: string
  check(): Promise<void>
}

export interface ProbeResult {
  name: Probe['name']
  using: string
  required: boolean
  up: boolean
  latency_ms: number
  error: string | null
  advice: string
}

const TIMEOUT_MS = 3000

export async function runProbe(probe: Probe): Promise<ProbeResult> {
  const started = performance.now()
  const error = await withTimeout(TIMEOUT_MS, probe.check()).then(
    () => null,
    (reason: unknown) => (reason instanceof Error ? reason.message || reason.name : String(reason)),
  )
  return {
    name: probe.name,
    using: probe.using,
    required: probe.required,
    up: error === null,
    latency_ms: Math.round((performance.now() - started) * 10) / 10,
    error,
    advice: probe.advice,
  }
}
