/** A job runner in its own process that tests can kill. Its config is JSON in argv. */
import { appendFile } from 'node:fs/promises'

import { handleUnawaitedOutages } from '../../../src/db/errors.ts'
import { createDeps } from '../../../src/deps.ts'
import { handleJob } from '../../../src/jobs/define.ts'
import { startRunner } from '../../../src/jobs/runner.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { sleepyJob } from '../jobs.ts'

const config = JSON.parse(process.argv[2] ?? '')
const log = createLogger({ level: 'error', pretty: false })
handleUnawaitedOutages(log)
const deps = await createDeps(config, log)
await startRunner(deps, {
  databaseUrl: config.databaseUrl,
  slots: { short: 2 },
  handlers: [
    handleJob(sleepyJob, async (_, { file, sleepMs }, { attempt }) => {
      await appendFile(file, `start ${attempt}\n`)
      await Bun.sleep(attempt === 1 ? sleepMs : 0)
      await appendFile(file, `done ${attempt}\n`)
    }),
  ],
})
