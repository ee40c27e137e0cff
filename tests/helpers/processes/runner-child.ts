/** Runs all jobs in its own process that tests can kill. Its config is JSON in argv. */
import { handleUnawaitedOutages } from '../../../src/db/errors.ts'
import { createDeps } from '../../../src/deps.ts'
import { startRunner } from '../../../src/jobs/runner.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { loadHandlers } from '../../../src/worker/registry.ts'

const config = JSON.parse(process.argv[2] ?? '')
const log = createLogger({ level: 'error', pretty: false })
handleUnawaitedOutages(log)
const deps = await createDeps(config, log)
await startRunner(deps, { databaseUrl: config.databaseUrl, handlers: loadHandlers() })
