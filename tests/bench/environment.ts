import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { openEmbeddedPostgres } from '../../src/db/embedded/embedded.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { findKeptPort } from '../helpers/processes/child.ts'
import type { Pace } from './compare.ts'

export const ROOT = join(import.meta.dir, '../..')
export const SERVERS = join(import.meta.dir, 'servers')

/** Resources that scenarios share, created on first use. */
export interface Environment {
  pace: Pace
  /** A migrated Postgres, used only by this run. */
  databaseUrl(): Promise<string>
  /** Settings of a Playshelf on that Postgres, with its own data folder. */
  settings(more?: Record<string, string>): Promise<Record<string, string>>
  /** The path of the compiled program. */
  binary(): Promise<string>
  dispose(): Promise<void>
}

export async function openEnvironment(pace: Pace): Promise<Environment> {
  const home = await mkdtemp(join(tmpdir(), 'playshelf-bench-'))
  const cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(home, { recursive: true, force: true }))
  let database: Promise<string> | undefined
  let binary: Promise<string> | undefined

  async function startDatabase(): Promise<string> {
    const postgres = await openEmbeddedPostgres(join(home, 'postgres'))
    cleanup.defer(() => postgres.stop())
    await migrateDatabase(postgres.url)
    return postgres.url
  }

  const databaseUrl = () => (database ??= startDatabase())
  return {
    pace,
    databaseUrl,
    async settings(more = {}) {
      return {
        DATABASE_URL: await databaseUrl(),
        DATA_DIR: await mkdtemp(join(home, 'data-')),
        SECRET_KEY: 'only-for-measuring-and-long-enough-for-it',
        LOG_LEVEL: 'info',
        ROLE: 'api',
        ...more,
      }
    },
    binary: () => (binary ??= build(join(home, 'playshelf'))),
    dispose: () => cleanup.disposeAsync(),
  }
}

async function build(outfile: string): Promise<string> {
  const child = Bun.spawn([process.execPath, 'infra/scripts/build.ts', outfile], {
    cwd: ROOT,
    env: bareEnvironment(),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`The program could not be built:\n${errors}`)
  return outfile
}

export interface ServerProcess {
  pid: number
  url: string
  /** From the start of the process to its first successful response. */
  startMs: number
  /** Throws if the process ended early or with an error. */
  stop(): Promise<void>
}

export interface ServerOptions {
  command: readonly string[]
  /** Polled until it returns 2xx. */
  path: string
  env?: Record<string, string>
}

const START_LIMIT_MS = 30_000
const COMPLAINT_CHARACTERS = 2000
/** The exit code on SIGTERM of a program without a handler. */
const SIGTERM_EXIT = 143

/** Starts the program as in production: with a minimal environment and no terminal. */
export async function startServerProcess({ command, path, env = {} }: ServerOptions): Promise<ServerProcess> {
  const port = findKeptPort()
  const url = `http://127.0.0.1:${port}`
  const started = performance.now()
  const child = Bun.spawn([...command], {
    env: { ...bareEnvironment(), NODE_ENV: 'production', PORT: String(port), ...env },
    stdin: 'ignore',
    stdout: Bun.file('/dev/null'),
    stderr: 'pipe',
  })
  // Kills the server however the bench ends.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const complaints = child.stderr.text()
  const fail = async (what: string) => {
    kill()
    return new Error(`${command.join(' ')} ${what}\n${(await complaints).slice(-COMPLAINT_CHARACTERS)}`)
  }
  const stop = async () => {
    const ended = child.exitCode !== null
    child.kill('SIGTERM')
    const code = await child.exited
    process.off('exit', kill)
    if (ended || ![0, SIGTERM_EXIT].includes(code)) throw await fail(`ended by itself or badly (${code})`)
  }
  while (!(await isUp(url + path))) {
    if (child.exitCode !== null) throw await fail(`ended with ${child.exitCode}`)
    if (performance.now() - started > START_LIMIT_MS) throw await fail('never answered')
    await Bun.sleep(1)
  }
  return { pid: child.pid, url, startMs: performance.now() - started, stop }
}

export function bareEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '/', TMPDIR } = process.env
  return { PATH: `${dirname(process.execPath)}:${PATH}`, HOME, ...(TMPDIR && { TMPDIR }) }
}

async function isUp(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { keepalive: false })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
