import { open, readdir, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'

import { RETAINED } from '../clients/object-store/folder/folder-retained.ts'
import { streamBaseBackup } from '../db/embedded/base-backup.ts'
import { packTar, readTar, type TarInput } from '../lib/bytes/tar.ts'
import { unlessMissing } from '../lib/unless-missing.ts'
import { isDataName } from './backup-data-names.ts'
import { MANIFEST, type Manifest } from './backup-manifest.ts'

export interface BackupSources {
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
