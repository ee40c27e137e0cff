import { join } from 'node:path'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import { MalformedBytes } from '../../lib/bytes/varints.ts'
import { createBlockReader } from '../../lib/zip/block-reader.ts'
import { type ContentsEntry, decodeContents, encodeContents } from '../../lib/zip/contents.ts'
import { readDirectory } from '../../lib/zip/directory.ts'
import { readEntry } from '../../lib/zip/entry-stream.ts'
import { requireFairSize } from '../../lib/zip/limits.ts'
import { readLocalHeader } from '../../lib/zip/local-header.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import type { Retry } from '../api/retry.ts'
import { ContentHashes } from './fetch/content-hashes.ts'
import { fetchParts, planRequests, wantSegment, type ZipSource } from './fetch/fetch-parts.ts'
import { ChangedFile, type RemoteFile } from './fetch/remote-file.ts'
import { Spool } from './fetch/spool.ts'
import type { InstallProgress } from './progress.ts'
import { keepOwnFolder, statePaths } from './record.ts'

/** What the store says about a file. */
export interface AnnouncedFile {
  file_uid: string
  size: number
  checksum: string
  installed_size: number | null
}

interface Contents {
  entries: ContentsEntry[]
  document: Uint8Array
}

const STORED = 0
const DEFLATED = 8
const FILE_TYPE = 0o170_000
const SYMLINK = 0o120_000

/** Throws for contents that do not fit into the zip, or unpack to something else than was announced. */
export async function readContentsDocument(document: Uint8Array, file: AnnouncedFile): Promise<Contents> {
  const entries = await decodeContents(document).catch((error: unknown) => {
    throw error instanceof MalformedBytes ? new ChangedFile(`${error.message}.`) : error
  })
  let size = 0
  for (const entry of entries) {
    size += entry.size
    if (!isPossible(entry, file))
      throw new ChangedFile(`The contents of the file are wrong at "${entry.path}".`)
  }
  if (file.installed_size !== null && size !== file.installed_size)
    throw new ChangedFile('The contents of the file are not as large as the store announced.')
  return { entries, document }
}

function isPossible(entry: ContentsEntry, file: AnnouncedFile): boolean {
  const { method, size, packed, mode, dataAt } = entry
  const isLink = ((mode ?? 0) & FILE_TYPE) === SYMLINK
  const isWhole = method === DEFLATED || (method === STORED && size === packed)
  return !isLink && isWhole && dataAt + packed <= file.size
}

interface WholeZipOptions {
  folder: string
  progress: InstallProgress
  signal: AbortSignal
  createRetry: (stop: AbortSignal) => Retry
}

/** For a file whose contents the store has not recorded: fetches all of it, and reads them from there. */
export async function readWholeZip(
  remote: RemoteFile,
  file: AnnouncedFile,
  options: WholeZipOptions,
): Promise<Contents & { source: ZipSource }> {
  const { progress, folder } = options
  // Hashed, because the store chooses the uid.
  const path = join(statePaths(folder).next, `zip-${sha256Hex(file.file_uid).slice(0, 32)}`)
  await keepOwnFolder(path)
  const spool = new Spool(path, 0, file.size)
  const missing = await spool.listMissing()
  progress.expect(missing.reduce((sum, { start, end }) => sum + end - start, 0) + file.size)
  await fetchParts(planRequests(missing.map(wantSegment), remote), {
    ...options,
    source: remote,
    staged: '',
    hashes: new ContentHashes([]),
  })
  const reader = createBlockReader(spool)
  try {
    const hasher = new Bun.CryptoHasher('sha256')
    for await (const bytes of reader.stream(0, file.size)) {
      options.signal.throwIfAborted()
      hasher.update(bytes)
      progress.advance('checked', bytes.length)
    }
    if (hasher.digest('hex') !== file.checksum)
      throw new ChangedFile('The file is not the one that the store announced.')
    const entries: ContentsEntry[] = []
    const listed = await readDirectory(reader)
    requireFairSize(listed)
    for (const entry of listed) {
      if (entry.isFolder) continue
      const sum = new Bun.CryptoHasher('sha256')
      for await (const bytes of readEntry(reader, entry)) sum.update(bytes)
      const { path: name, size, mode, packedSize: packed } = entry
      const { start: dataAt } = await readLocalHeader(reader, entry)
      const method = entry.isDeflated ? DEFLATED : STORED
      const sha256 = sum.digest('hex')
      entries.push({ path: name, dataAt, packed, size, method, mode, sha256, blocks: null })
    }
    const encoded = await encodeContents(entries, file.size)
    const source = { stream: (start: number, end: number) => reader.stream(start, end - start) }
    return { entries, document: encoded?.document ?? new Uint8Array(), source }
  } catch (error) {
    if (error instanceof ZipError || error instanceof ChangedFile) await spool.remove()
    throw error instanceof ZipError ? new ChangedFile(error.message) : error
  }
}
