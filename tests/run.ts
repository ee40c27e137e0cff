import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startEngines } from './helpers/engines/start-engines.ts'

/** Starts the engines, runs every test on them, stops them. Arguments go to `bun test`. */
const dir = await mkdtemp(join(tmpdir(), 'playshelf-test-'))
let code = 1
try {
  const engines = await startEngines(dir)
  try {
    if (engines.missing.length > 0) {
      const text = `Not installed, so their suites are skipped: ${engines.missing.join(', ')}`
      if (process.env.REQUIRE_ENGINES === '1') throw new Error(text)
      console.log(text)
    }
    code = await runTests(engines.env)
  } finally {
    await engines.stop()
  }
} finally {
  await rm(dir, { recursive: true, force: true })
}
process.exit(code)

async function runTests(env: Record<string, string>): Promise<number> {
  const files = process.argv.slice(2)
  const report = join(dir, 'report.xml')
  const child = Bun.spawn(
    [
      ...['bun', 'test', '--parallel=2', '--timeout', '60000', '--only-failures'],
      ...['--reporter', 'junit', '--reporter-outfile', report, ...files],
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
  const { tests, failed, skipped } = await readReport(report)
  // A file that could not even be loaded stands in no report.
  const failures = exit === 0 ? failed : Math.max(failed, 1)
  console.log(
    `${tests - failed - skipped} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  )
  return exit
}

async function readReport(path: string): Promise<{ tests: number; failed: number; skipped: number }> {
  const [head = ''] =
    (
      await Bun.file(path)
        .text()
        .catch(() => '')
    ).match(/<testsuites[^>]*>/) ?? []
  const read = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0)
  return { tests: read('tests'), failed: read('failures') + read('errors'), skipped: read('skipped') }
}
