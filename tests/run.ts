import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

import { readKeptEngines } from './helpers/engines/kept.ts'
import { findNeededEngines, findTestFiles } from './helpers/engines/needs.ts'
import { startEngines } from './helpers/engines/start-engines.ts'
import { prepareTemplate } from './helpers/engines/template.ts'
import { shareBinaries } from './helpers/processes/binaries.ts'
import { readReport } from './helpers/report.ts'

/** Starts the engines that the chosen tests need, runs the tests on them, stops them. Arguments go to `bun test`. */
const args = process.argv.slice(2)
const isWholeSuite = args.every((arg) => arg.startsWith('--'))
/** Tests wait for timers, engines and programs more than half of their time: more workers keep all cores busy. */
const WORKERS = availableParallelism() + 3
/** Only for tests that hang: a busy machine makes a slow test take minutes, and a time-out also kills its programs. */
const TIMEOUT_MS = 5 * 60_000
/** Tests end before the last stage of the JIT compiler pays off: without it they need a fifteenth less CPU time. */
const NO_FTL = { BUN_JSC_useFTLJIT: '0' }
/** How long each file takes, so that the slowest start first; `bun run test --update-timings` measures anew. */
const TIMINGS = 'tests/timings.json'
const dir = await mkdtemp(join(tmpdir(), 'playshelf-test-'))
// Some tests start the programs in it as another user.
await chmod(dir, 0o711)
let code = 1
try {
  const needed = await findNeededEngines(await findTestFiles(args))
  // Many files start the programs: the whole suite has them as binaries, a few files need not wait for these.
  const building = isWholeSuite ? shareBinaries(dir) : null
  building?.catch(() => undefined)
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
    const binaries = await building
    if (binaries) Object.assign(env, { TEST_PROGRAM: binaries.store, TEST_SHELF: binaries.uploader })
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
      `--parallel=${WORKERS}`,
      `--timings=${TIMINGS}`,
      // A worker loads the program once for all its files; each file makes its own data.
      '--no-isolate',
      '--timeout',
      String(TIMEOUT_MS),
      '--only-failures',
      '--reporter',
      'junit',
      '--reporter-outfile',
      report,
      ...args,
    ],
    {
      env: { ...process.env, ...env, ...NO_FTL, TEST_DIR: dir, NODE_ENV: 'test' },
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
    },
  )
  const stop = () => child.kill('SIGTERM')
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const exit = await child.exited
  const { tests, failed, skipped, failures, slowest } = await readReport(report)
  if (isWholeSuite) console.log(`The slowest files:\n${slowest.join('\n')}`)
  if (failures.length > 0) console.log(`The failed tests:\n${failures.join('\n')}`)
  // A file that could not even be loaded stands in no report.
  const failedAtLeast = exit === 0 ? failed : Math.max(failed, 1)
  console.log(
    `${tests - failed - skipped} passed, ${failedAtLeast} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  )
  return exit
}
