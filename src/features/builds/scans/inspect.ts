import { openObjectSource } from '../../../clients/objects/object-ranges.ts'
import type { ObjectStore } from '../../../clients/objects/object-store.ts'
import { type Scanner, ScannerError, type ScanOptions } from '../../../clients/scanner/scanner.ts'
import { findEntryPage } from '../../../domain/builds/files.ts'
import { findLayoutFaults, type LayoutFault } from '../../../domain/listings/package-layout.ts'
import { AppError } from '../../../errors.ts'
import { isSliceOver, nextSlice } from '../../../lib/flow/loop-slices.ts'
import { createSemaphore } from '../../../lib/flow/semaphore.ts'
import { type BlockReader, type ByteSource, createBlockReader } from '../../../lib/zip/block-reader.ts'
import { BlockCheck } from '../../../lib/zip/blocks.ts'
import { readDirectory, type ZipEntry } from '../../../lib/zip/directory.ts'
import { readEntry } from '../../../lib/zip/entry-stream.ts'
import { requireFairSize } from '../../../lib/zip/limits.ts'
import { quoteName, ZipError } from '../../../lib/zip/zip-error.ts'
import type { Contents, RecordedEntry } from '../contents/model.ts'
import { describeContents, type DescribedEntry, placeEntry } from '../contents/record.ts'

interface StoredFile {
  objectKey: string
  size: number
  checksum: string
}

interface Clean {
  state: 'clean'
  engine: string
  entries: RecordedEntry[]
  contents: Contents
  layoutFaults: LayoutFault[]
  entryPage: string | null
}

interface Refused {
  state: 'infected' | 'error'
  engine: string | null
  detail: string
  /** The stored bytes differ from those that were uploaded. */
  isAltered?: boolean
}

export type Outcome = Clean | Refused

const MB = 1024 ** 2
/** Limits the total unpacked size of nested zips: a fixed allowance plus one that grows with the file. */
const NESTED_FREE = 256 * MB
const NESTED_RATIO = 20
const NESTED_MAX = 20 * 1024 * MB

/** The entry lists of larger zips take hundreds of megabytes, so these zips are inspected one at a time. */
const LARGE_FROM = 5000
const LARGE_MAX = 1
const largeZips = createSemaphore(LARGE_MAX)

interface Services {
  objects: ObjectStore
  scanner: Scanner
}

/**
 * Inspects the zip in one pass. Throws only temporary failures that a retry can solve; all others are
 * returned as an outcome. `held` keeps a large zip's slot until its outcome is stored.
 */
export async function inspectFile(
  { objects, scanner }: Services,
  file: StoredFile,
  signal: AbortSignal,
  held: DisposableStack,
): Promise<Outcome> {
  let engine: string | null = null
  let source: HashedSource | null = null
  try {
    source = hashWhileRead(await openSource(objects, file))
    const reader = createBlockReader(source)
    const entries = await readDirectory(reader, async (count) => {
      if (count > LARGE_FROM) held.use(await largeZips.acquire(1, signal))
    })
    requireFairSize(entries)
    engine = await scanner.readEngine()
    const known = await scanner.findKnown(file.checksum)
    if (known?.verdict === 'infected') return { state: 'infected', engine, detail: known.detail ?? '' }
    const result = await inspectEntries(reader, entries, scanner, {
      signal,
      nested: { bytes: Math.min(NESTED_MAX, NESTED_FREE + file.size * NESTED_RATIO) },
    })
    const isAltered = result.state === 'clean' && (await source.digest()) !== file.checksum
    return isAltered ? altered(engine) : { engine, ...result }
  } catch (error) {
    const isRefused = error instanceof ZipError || (error instanceof ScannerError && error.fault === 'limit')
    if (!isRefused) throw error
    // Altered bytes usually look like a damaged zip; the author must learn that the uploaded zip was fine.
    if (source && error instanceof ZipError && (await source.digest()) !== file.checksum)
      return altered(engine)
    return { state: 'error', engine, detail: error.message }
  }
}

function altered(engine: string | null): Refused {
  return {
    state: 'error',
    engine,
    isAltered: true,
    detail:
      'The stored file is not the one that was uploaded: its SHA-256 differs, so it was damaged in storage. Upload the file again.',
  }
}

async function openSource(objects: ObjectStore, { objectKey, size }: StoredFile): Promise<ByteSource> {
  const info = await objects.head(objectKey)
  if (!info)
    throw new AppError('not_found', { message: `The object ${objectKey} is missing in the object store.` })
  if (info.size !== size) throw new ZipError(`${info.size} bytes are stored, but ${size} were uploaded.`)
  return openObjectSource(objects, objectKey, size)
}

async function inspectEntries(
  reader: BlockReader,
  entries: readonly ZipEntry[],
  scanner: Scanner,
  options: ScanOptions,
): Promise<Omit<Clean, 'engine'> | { state: 'infected'; detail: string }> {
  const found: DescribedEntry[] = []
  for (const entry of entries) {
    options.signal?.throwIfAborted()
    if (isSliceOver()) await nextSlice()
    const place = await placeEntry(reader, entry)
    const hasher = new Bun.CryptoHasher('sha256')
    const check = new BlockCheck(reader, entry, place.dataAt)
    const content = check.watch(hashWhileReading(readEntry(reader, entry), hasher))
    const { verdict, detail } = await scanEntry(scanner, entry, content, options)
    if (verdict === 'infected') return { state: verdict, detail: `${quoteName(entry.path)}: ${detail}` }
    if (entry.isFolder) continue
    const { path, size } = entry
    found.push({ ...place, path, size, sha256: hasher.digest('hex'), blocks: check.blocks })
  }
  return {
    state: 'clean',
    entries: found,
    contents: await describeContents(found, reader.size),
    layoutFaults: findLayoutFaults(entries),
    entryPage: findEntryPage(found.map(({ path }) => path)),
  }
}

async function scanEntry(
  scanner: Scanner,
  { path }: ZipEntry,
  content: AsyncIterable<Uint8Array>,
  options: ScanOptions,
) {
  try {
    return await scanner.scan(content, options)
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

interface HashedSource extends ByteSource {
  /** The SHA-256 of all bytes. First reads the bytes that were not read in order. */
  digest(): Promise<string>
}

const READ_SIZE = 4 * 1024 ** 2

/**
 * Hashes bytes as they are read, so a reader that goes from start to end needs no second read. Reads that do
 * not continue the hashed bytes, such as of a directory at the end, are only passed on.
 */
function hashWhileRead(source: ByteSource): HashedSource {
  const { size } = source
  const hasher = new Bun.CryptoHasher('sha256')
  let position = 0
  let hashed = Promise.resolve()

  function read(start: number, end: number): Promise<Uint8Array> {
    const bytes = source.read(start, end)
    if (start === position) {
      position = end
      // Reads may overlap, but their bytes are hashed in order.
      hashed = hashed.then(async () => void hasher.update(await bytes))
      hashed.catch(() => undefined)
    }
    return bytes
  }

  return {
    size,
    read,
    async digest() {
      await hashed
      while (position < size) {
        await read(position, Math.min(size, position + READ_SIZE))
        await hashed
      }
      return hasher.digest('hex')
    },
  }
}
