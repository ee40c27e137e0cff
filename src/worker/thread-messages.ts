import type { Config } from '../config.ts'
import type { JobOutcome } from '../jobs/runner.ts'

export type ToThread = { kind: 'start'; config: Config; pretty: boolean } | { kind: 'stop' }

export type FromThread =
  | { kind: 'ready' }
  | { kind: 'finished'; outcome: JobOutcome }
  | { kind: 'stopped' }
  | { kind: 'failed'; message: string }
