import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { findFreePort } from '../../lib/net/free-port.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { openSession } from '../pool/open-session.ts'
import { type Binaries, findBinaries, giveToPostgres, runPostgres } from './embedded-program.ts'

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

async function initialise(binaries: Binaries, dir: string, data: string, password: string): Promise<void> {
  const passwordFile = join(dir, 'initdb-password')
  await mkdir(data, { recursive: true, mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  await Promise.all([dir, data, passwordFile].map(giveToPostgres))
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
    ]
    await runPostgres([binaries.initdb, ...options], data)
  } finally {
    await Bun.file(passwordFile).delete()
  }
}

/** Gives restored data the configuration of a new database: what came with the data is not trusted. */
export async function configureRestored(dir: string): Promise<void> {
  const fresh = join(dir, 'fresh')
  await initialise(await findBinaries(), dir, fresh, await readOrCreatePassword(dir))
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
