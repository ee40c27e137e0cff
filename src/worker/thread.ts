import type { Config } from '../config/config.ts'
import { handleUnawaitedOutages } from '../db/errors.ts'
import { createDeps } from '../deps.ts'
import { type JobOutcome, startRunner } from '../jobs/runner.ts'
import { createLogger } from '../lib/log.ts'
import { lowerJobsPriority } from '../lib/thread-priority.ts'
import { loadHandlers } from './registry.ts'

export type ToThread = { kind: 'start'; config: Config; pretty: boolean } | { kind: 'stop' }

export type FromThread =
  | { kind: 'ready' }
  | { kind: 'finished'; outcome: JobOutcome }
  | { kind: 'stopped' }
  | { kind: 'failed'; message: string }

declare const self: Worker

self.onmessage = (event: MessageEvent<ToThread>) => {
  if (event.data.kind === 'start') void work(event.data.config, event.data.pretty).catch(fail)
}

async function work(config: Config, pretty: boolean): Promise<void> {
  lowerJobsPriority()
  const log = createLogger({ level: config.logLevel, pretty })
  handleUnawaitedOutages(log)
  const deps = await createDeps(config, log)
  const runner = await startRunner(deps, {
    databaseUrl: config.databaseUrl,
    handlers: loadHandlers(),
    onFinished: (outcome) => post({ kind: 'finished', outcome }),
  })
  self.onmessage = (event: MessageEvent<ToThread>) => {
    if (event.data.kind !== 'stop') return
    void runner
      .stop()
      .then(() => deps.dispose())
      .then(() => post({ kind: 'stopped' }), fail)
  }
  post({ kind: 'ready' })
  await runner.ended
}

function post(message: FromThread): void {
  self.postMessage(message)
}

function fail(error: unknown): void {
  post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
}
