import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

import type { Config } from '../config.ts'
import { surviveOutages } from '../db/survive-outages.ts'
import { createDeps } from '../deps.ts'
import { startRunner } from '../jobs/runner.ts'
import { createLogger } from '../lib/log.ts'
import { loadHandlers } from './registry.ts'
import type { FromThread, ToThread } from './thread-messages.ts'

declare const self: Worker

/** Of the scheduler's 40 steps, how far jobs stand behind requests of the same process. */
const NICENESS = 19

self.onmessage = (event: MessageEvent<ToThread>) => {
  if (event.data.kind === 'start') void work(event.data.config, event.data.pretty).catch(fail)
}

async function work(config: Config, pretty: boolean): Promise<void> {
  if (process.platform === 'linux') letRequestsGoFirst()
  const log = createLogger({ level: config.logLevel, pretty })
  surviveOutages(log)
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

/** Somebody waits for each request; a scan or a webhook may take a little longer. Linux does this per thread. */
function letRequestsGoFirst(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS)
  } catch {
    // Some sandboxes forbid it; jobs run all the same.
  }
}

function post(message: FromThread): void {
  self.postMessage(message)
}

function fail(error: unknown): void {
  post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
}
