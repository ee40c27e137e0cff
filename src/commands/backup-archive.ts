import { on } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { RETAINED } from '../clients/objects/folder/folder-files.ts'
import { chownToPostgres, configureRestored, loadEmbeddedMajor } from '../db/embedded/embedded.ts'
import { isConnectionError } from '../db/errors.ts'
import { openSession } from '../db/pool/sessions.ts'
import { packTar, readTar, type TarInput, type TarMember } from '../lib/bytes/tar.ts'
import { unlessMissing } from '../lib/unless-missing.ts'
import { checkManifest, MANIFEST, type Manifest, PARTS } from './backup-manifest.ts'

/** Message types in the backup stream, given by the first byte. */
const ARCHIVE = 'n'.charCodeAt(0)
const DATA = 'd'.charCodeAt(0)

/**
 * Streams a consistent copy of a running Postgres as one tar, using the same command as `pg_basebackup`.
 * Postgres skips temporary files, verifies checksums and includes the WAL needed to start from the copy.
 */
export async function* streamBaseBackup(url: string): AsyncGenerator<Uint8Array> {
  const client = openSession(url, 'backup', { connection: { replication: 'true' } })
  try {
    // Prevents the WAL from being recycled before it is copied. The slot is dropped with the session.
    const slot = `playshelf_backup_${crypto.randomUUID().replaceAll('-', '')}`
    await client.unsafe(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL RESERVE_WAL`)
    const stream = await client
      .unsafe(`BASE_BACKUP (LABEL 'playshelf backup', CHECKPOINT 'fast', WAL true)`)
      .readable()
    // A reader that stops early closes the connection; that is not an error.
    stream.on('error', () => undefined)
    let archives = 0
    // Events preserve message boundaries; reading the stream would not.
    const messages = on(stream, 'data', { close: ['end'], highWaterMark: 32, lowWaterMark: 8 })
    for await (const [message] of messages) {
      if (!Buffer.isBuffer(message)) throw new TypeError('Postgres sent its backup in another form')
      if (message[0] === ARCHIVE) archives += 1
      if (archives > 1) throw new Error('A tablespace outside of the data folder cannot be backed up')
      if (message[0] === DATA) yield message.subarray(1)
    }
  } catch (cause) {
    if (isConnectionError(cause)) {
      throw new Error('The database was stopped while it was copied: start the backup again.', { cause })
    }
    throw cause
  } finally {
    await client.end({ timeout: 5 })
  }
}

/** What Postgres itself keeps in its data folder, apart from its configuration. */
const NAMES: ReadonlySet<string> = new Set([
  'PG_VERSION',
  'backup_label',
  'base',
  'global',
  'pg_commit_ts',
  'pg_dynshmem',
  'pg_logical',
  'pg_multixact',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_tblspc',
  'pg_twophase',
  'pg_wal',
  'pg_xact',
])

/**
 * Whether a member of the data folder belongs in an archive. Configuration does not: it can run programs, so a restore
 * writes it anew.
 */
function isDataName(name: string): boolean {
  return NAMES.has(name.split('/')[0] ?? '')
}

interface BackupSources {
  databaseUrl: string
  /** Stored beside the data files: the password of the database user. */
  passwordFile: string
  /** Copied file by file; the keys are the names in the archive. */
  trees: Partial<Record<string, string>>
}

const CHUNK = 256 * 1024

/**
 * The archive as tar. The database goes first: an object without a row is cleaned up after a restore, but a row
 * without its object would be a lost file. The caller retains what is deleted meanwhile.
 */
export function packBackup(sources: BackupSources, manifest: Manifest): AsyncGenerator<Uint8Array> {
  return packTar(listMembers(sources, manifest))
}

async function* listMembers(sources: BackupSources, manifest: Manifest): AsyncGenerator<TarInput> {
  const text = Buffer.from(JSON.stringify(manifest, null, 2))
  yield { name: MANIFEST, kind: 'file', size: text.length, mode: 0o600, mtime: now(), body: [text] }
  yield folderMember('postgres', 0o755)
  yield* readMembers('postgres/password', sources.passwordFile)
  yield folderMember('postgres/data', 0o700)
  for await (const member of readTar(streamBaseBackup(sources.databaseUrl))) {
    const name = posix.normalize(member.name)
    if (isDataName(name)) yield { ...member, name: posix.join('postgres/data', name) }
  }
  for (const [name, path] of Object.entries(sources.trees)) {
    if (!path) continue
    yield* readMembers(name, path, new Set([RETAINED]))
    // Last: an object that was deleted before it was reached above is here by now.
    yield* readMembers(`${name}/${RETAINED}`, join(path, RETAINED))
  }
}

function folderMember(name: string, mode: number): TarInput {
  return { name, kind: 'folder', size: 0, mode, mtime: now(), body: [] }
}

/** A file, or a folder with its contents. Skips files that were deleted after they were listed. */
async function* readMembers(
  name: string,
  path: string,
  skipped: ReadonlySet<string> = new Set(),
): AsyncGenerator<TarInput> {
  const facts = await unlessMissing(stat(path))
  if (facts?.isFile()) yield* readFileMember(name, path)
  if (!facts?.isDirectory()) return
  const children = await unlessMissing(readdir(path))
  if (children === null) return
  yield folderMember(name, facts.mode & 0o777)
  // Sorted, so that `.uploads` comes before the keys: a file that is moved meanwhile is copied at least once.
  for (const child of children.sort()) {
    if (!skipped.has(child)) yield* readMembers(`${name}/${child}`, join(path, child))
  }
}

async function* readFileMember(name: string, path: string): AsyncGenerator<TarInput> {
  const file = await unlessMissing(open(path))
  if (file === null) return
  try {
    const { size, mode, mtimeMs } = await file.stat()
    const mtime = Math.floor(mtimeMs / 1000)
    yield { name, kind: 'file', size, mode: mode & 0o777, mtime, body: readStart(size) }
  } finally {
    await file.close()
  }

  /** Stops at the size in the entry's header, because an upload may still be growing. */
  async function* readStart(size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < size;) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK, size - at))
      const bytesRead = (await file?.read(buffer, 0, buffer.length, at))?.bytesRead ?? 0
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}

const MAX_MANIFEST = 64 * 1024
const TOP_LEVEL: ReadonlySet<string> = new Set(PARTS)
const DATABASE_FILES: ReadonlySet<string> = new Set(['postgres/data', 'postgres/password'])
const DATA_FOLDER = 'postgres/data/'
/** The database does not start without these. */
const NEEDED = ['postgres/password', 'postgres/data/PG_VERSION', 'postgres/data/backup_label'] as const

/**
 * Checks the manifest first, then writes the members of the archive under `folder`. Files get the time of now: a sweep
 * leaves young objects alone, so nothing is deleted before an operator has looked.
 */
export async function unpackBackup(tar: AsyncIterable<Uint8Array>, folder: string): Promise<Manifest> {
  let manifest: Manifest | null = null
  const names = new Set<string>()
  for await (const member of readTar(tar)) {
    manifest ??= await unpackManifest(member)
    if (member.name === MANIFEST) continue
    const path = resolveMember(folder, member.name)
    if (isStray(member.name)) {
      // The first format contained the configuration, which is written anew.
      if (manifest.format === 1) continue
      throw foreign(member.name)
    }
    await unpackMember(member, path)
    if (NEEDED.some((name) => name === member.name)) names.add(member.name)
  }
  const missing = NEEDED.filter((name) => !names.has(name))
  if (!manifest || missing.length > 0) throw new Error(`The archive lacks ${missing.join(', ')}`)
  await configureRestored(join(folder, 'postgres'))
  await returnRetained(join(folder, 'objects'))
  return manifest
}

async function unpackManifest({ name, size, body }: TarMember): Promise<Manifest> {
  if (name !== MANIFEST || size > MAX_MANIFEST) {
    throw new Error('This is not a Playshelf backup: it does not start with a manifest')
  }
  const text = Buffer.concat(await Array.fromAsync(body)).toString('utf8')
  return checkManifest(text, await loadEmbeddedMajor())
}

/** Names in an archive are untrusted: none may point outside the folder. */
function resolveMember(folder: string, name: string): string {
  const segments = name.split('/')
  const odd = segments.some((segment) => ['', '.', '..'].includes(segment) || /[\\\0]/.test(segment))
  if (odd || !TOP_LEVEL.has(segments[0] ?? '')) throw foreign(name)
  return join(folder, ...segments)
}

/** Whether it is a member of the database that Postgres does not need: files there can run programs. */
function isStray(name: string): boolean {
  if (name.startsWith(DATA_FOLDER)) return !isDataName(name.slice(DATA_FOLDER.length))
  return name.startsWith('postgres/') && !DATABASE_FILES.has(name)
}

function foreign(name: string): Error {
  return new Error(`The archive contains ${JSON.stringify(name)}, which does not belong in a backup`)
}

async function unpackMember({ name, kind, mode, body }: TarMember, path: string): Promise<void> {
  if (kind === 'folder') await mkdir(path)
  else await pipeline(body, createWriteStream(path, { flags: 'wx' }))
  // Removes the permissions of other users, which archives from elsewhere or of older versions may contain.
  await chmod(path, mode & 0o700)
  if (name.startsWith('postgres') && name !== 'postgres/password') await chownToPostgres(path)
}

/** Objects that were deleted while the backup ran, but that its copy of the database may name. */
async function returnRetained(objects: string): Promise<void> {
  const retained = join(objects, RETAINED)
  const entries = await unlessMissing(readdir(retained, { recursive: true, withFileTypes: true }))
  for (const entry of entries ?? []) {
    if (!entry.isFile()) continue
    const from = join(entry.parentPath, entry.name)
    const to = join(objects, from.slice(retained.length))
    // It exists already if it was copied before it was deleted.
    if (await Bun.file(to).exists()) continue
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    await rename(from, to)
  }
  await rm(retained, { recursive: true, force: true })
}
