import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

import { readKeptEngines } from './helpers/engines/kept.ts'
import { findNeededEngines, findTestFiles } from './helpers/engines/needs.ts'
import { startEngines } from './helpers/engines/start-engines.ts'
import { prepareTemplate } from './helpers/engines/template.ts'
import { readReport } from './helpers/report.ts'

/** Starts the engines that the chosen tests need, runs the tests on them, stops them. Arguments go to `bun test`. */
const args = process.argv.slice(2)
const dir = await mkdtemp(join(tmpdir(), 'playshelf-test-'))
let code = 1
try {
  const needed = await findNeededEngines(await findTestFiles(args))
  const { env, missing, stop } = await startEngines(dir, needed, {
    ...(await readKeptEngines()),
    ...process.env,
  })
  try {
    if (missing.length > 0) {
      const text = `Not installed, so their suites are skipped: ${missing.join(', ')}`
      if (process.env.REQUIRE_ENGINES === '1') throw new Error(text)
      console.log(text)
    }
    if (env.TEST_DATABASE_URL) env.TEST_DATABASE_URL = await prepareTemplate(env.TEST_DATABASE_URL)
    code = await runTests(env)
  } finally {
    await stop()
  }
} finally {
  await rm(dir, { recursive: true, force: true })
}
process.exit(code)

async function runTests(env: Record<string, string>): Promise<number> {
  const report = join(dir, 'report.xml')
  const child = Bun.spawn(
    [
      'bun',
      'test',
      `--parallel=${availableParallelism()}`,
      // A worker loads the program once for all its files; each file makes its own data.
      '--no-isolate',
      '--timeout',
      '60000',
      '--only-failures',
      '--reporter',
      'junit',
      '--reporter-outfile',
      report,
      ...args,
    ],
    {
      env: { ...process.env, ...env, TEST_DIR: dir, NODE_ENV: 'test' },
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
    },
  )
  const stop = () => child.kill('SIGTERM')
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const exit = await child.exited
  const { tests, failed, skipped, slowest } = await readReport(report)
  if (args.length === 0) console.log(`The slowest files:\n${slowest.join('\n')}`)
  // A file that could not even be loaded stands in no report.
  const failures = exit === 0 ? failed : Math.max(failed, 1)
  console.log(
    `${tests - failed - skipped} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  )
  return exit
}
