import { openObjectSource } from '../../../clients/object-store/object-ranges.ts'
import type { ObjectStore } from '../../../clients/object-store/object-store.ts'
import { type Scanner, ScannerError } from '../../../clients/scanner/scanner.ts'
import { findLayoutFaults, type LayoutFault } from '../../../domain/package-layout.ts'
import { AppError } from '../../../errors.ts'
import { type BlockReader, type ByteSource, createBlockReader } from '../../../lib/zip/block-reader.ts'
import { readDirectory, type ZipEntry } from '../../../lib/zip/directory.ts'
import { readEntry } from '../../../lib/zip/entry-stream.ts'
import { requireFairSize } from '../../../lib/zip/limits.ts'
import { quoteName, ZipError } from '../../../lib/zip/zip-error.ts'

export interface StoredFile {
  objectKey: string
  size: number
  checksum: string
}

export interface FoundEntry {
  path: string
  size: number
  sha256: string
  /** Where the entry begins in the zip, at its header, and how many bytes it has up to the next part. */
  at: number
  length: number
}

interface Clean {
  state: 'clean'
  engine: string
  entries: FoundEntry[]
  layoutFaults: LayoutFault[]
}

export type Outcome = Clean | { state: 'infected' | 'error'; engine: string | null; detail: string }

interface Services {
  store: ObjectStore
  scanner: Scanner
}

/** One pass over the zip. Throws only temporary failures that a retry can solve; all others are an outcome. */
export async function inspectFile(
  { store, scanner }: Services,
  file: StoredFile,
  signal: AbortSignal,
): Promise<Outcome> {
  let engine: string | null = null
  try {
    const reader = createBlockReader(await openSource(store, file))
    const entries = await readDirectory(reader)
    requireFairSize(entries)
    engine = await scanner.readEngine()
    const known = await scanner.findKnown(file.checksum)
    if (known?.verdict === 'infected') return { state: 'infected', engine, detail: known.detail ?? '' }
    return { engine, ...(await inspectEntries(reader, entries, scanner, signal)) }
  } catch (error) {
    const isRefused = error instanceof ZipError || (error instanceof ScannerError && error.fault === 'limit')
    if (!isRefused) throw error
    return { state: 'error', engine, detail: error.message }
  }
}

async function openSource(store: ObjectStore, { objectKey, size }: StoredFile): Promise<ByteSource> {
  const info = await store.head(objectKey)
  if (!info)
    throw new AppError('not_found', { message: `The object ${objectKey} is missing in the object store.` })
  if (info.size !== size) throw new ZipError(`${info.size} bytes are stored, but ${size} were uploaded.`)
  return openObjectSource(store, objectKey, size)
}

async function inspectEntries(
  reader: BlockReader,
  entries: readonly ZipEntry[],
  scanner: Scanner,
  signal: AbortSignal,
): Promise<Omit<Clean, 'engine'> | { state: 'infected'; detail: string }> {
  const found: FoundEntry[] = []
  for (const entry of entries) {
    signal.throwIfAborted()
    const hasher = new Bun.CryptoHasher('sha256')
    const content = hashWhileReading(readEntry(reader, entry), hasher)
    const { verdict, detail } = await scanEntry(scanner, entry, content, signal)
    if (verdict === 'infected') return { state: verdict, detail: `${quoteName(entry.path)}: ${detail}` }
    if (entry.isFolder) continue
    const { path, size, offset: at, until } = entry
    found.push({ path, size, sha256: hasher.digest('hex'), at, length: until - at })
  }
  return { state: 'clean', entries: found, layoutFaults: findLayoutFaults(entries) }
}

async function scanEntry(
  scanner: Scanner,
  { path }: ZipEntry,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) {
  try {
    return await scanner.scan(content, { signal })
  } catch (error) {
    if (!(error instanceof ScannerError && error.fault === 'limit')) throw error
    throw new ScannerError('limit', `${quoteName(path)} could not be scanned. ${error.message}`, error)
  }
}

async function* hashWhileReading(
  content: AsyncIterable<Uint8Array>,
  hasher: Bun.CryptoHasher,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    hasher.update(piece)
    yield piece
  }
}
