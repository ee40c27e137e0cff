import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'

import { ByteReader, ByteWriter, MalformedBytes } from '../bytes/varints.ts'
import { isSliceOver, nextSlice } from '../flow/loop-slices.ts'
import type { HashedBlock } from './blocks.ts'
import { PATHS_MAX } from './paths.ts'

/** A file of a zip: where its packed bytes lie, and what they unpack to. */
export interface ContentsEntry {
  path: string
  dataAt: number
  packed: number
  size: number
  /** 0: stored, 8: deflated. */
  method: number
  /** Type and permissions as on Unix; null where the zip does not tell. */
  mode: number | null
  sha256: string
  /** Parts that can be fetched and unpacked alone, in their order; null where there are none. */
  blocks: HashedBlock[] | null
}

export const CONTENTS_TYPE = 'application/vnd.playshelf.contents.v1'
/** Size limits of the document, compressed and uncompressed. */
export const CONTENTS_BYTES_MAX = 16 * 1024 ** 2
export const CONTENTS_UNPACKED_MAX = 64 * 1024 ** 2

/** The document may be as large as the largest of these; blocks that do not fit are left out. */
const SHARE_OF_FILE = 1 / 100
const ALWAYS_FREE = 64 * 1024
const BYTES_PER_ENTRY = 48
const HASH_BYTES = 32
/** A block's SHA-256 and its two sizes. */
const BYTES_PER_BLOCK = HASH_BYTES + 8

const pack = promisify<Uint8Array, object, Buffer>(deflate)
const unpack = promisify<Uint8Array, object, Buffer>(inflate)

interface EncodedContents {
  document: Buffer
  /** Whether blocks of any entry are in it. */
  hasBlocks: boolean
}

/** What is written; without blocks where they were not looked for. */
type Described = Omit<ContentsEntry, 'blocks'> & { blocks?: ContentsEntry['blocks'] }

/**
 * Writes the contents of a zip as one document, compressed by zlib. Numbers are LEB128; each property is
 * written for all entries in a row, which compresses best. Null for contents that are too large to be
 * described.
 */
export async function encodeContents(
  entries: readonly Described[],
  fileSize: number,
): Promise<EncodedContents | null> {
  const sorted = entries.toSorted((a, b) => a.dataAt - b.dataAt)
  const bound = Math.max(fileSize * SHARE_OF_FILE, ALWAYS_FREE, entries.length * BYTES_PER_ENTRY)
  const table = await packDocument(sorted, new Set())
  if (table === null || table.length > CONTENTS_BYTES_MAX) return null
  const chosen = chooseBlocks(sorted, Math.min(bound, CONTENTS_BYTES_MAX) - table.length)
  const document = chosen.size > 0 ? await packDocument(sorted, chosen) : null
  return document ? { document, hasBlocks: true } : { document: table, hasBlocks: false }
}

/** Throws `MalformedBytes` for anything but a document of contents. */
export async function decodeContents(document: Uint8Array): Promise<ContentsEntry[]> {
  const bytes = await unpack(document, { maxOutputLength: CONTENTS_UNPACKED_MAX }).catch((error: unknown) => {
    throw new MalformedBytes('The contents cannot be unpacked', { cause: error })
  })
  const reader = new ByteReader(bytes)
  const count = reader.varint()
  if (count > PATHS_MAX) throw new MalformedBytes('The contents have too many entries')
  const paths = readPaths(reader, count)
  const gaps = times(count, () => reader.varint())
  const packedSizes = times(count, () => reader.varint())
  const sizes = times(count, () => reader.varint())
  const methods = times(count, () => reader.varint())
  const modes = times(count, () => reader.varint())
  const hashes = times(count, () => readHash(reader))
  const blockCounts = times(count, () => reader.varint())
  let end = 0
  const entries = times(count, (index): ContentsEntry => {
    const [packed = 0, size = 0, mode = 0] = [packedSizes[index], sizes[index], modes[index]]
    const dataAt = end + (gaps[index] ?? 0)
    end = dataAt + packed
    const blocks = readBlockSizes(reader, blockCounts[index] ?? 0, { size, packed })
    const [path = '', method = 0, sha256 = ''] = [paths[index], methods[index], hashes[index]]
    return { path, dataAt, packed, size, method, mode: mode === 0 ? null : mode, sha256, blocks }
  })
  for (const { blocks } of entries) for (const block of blocks ?? []) block.sha256 = readHash(reader)
  if (!reader.isAtEnd || end > Number.MAX_SAFE_INTEGER) throw new MalformedBytes('The contents are malformed')
  return entries
}

/** `chosen`: the entries whose blocks are written. */
async function packDocument(
  entries: readonly Described[],
  chosen: ReadonlySet<Described>,
): Promise<Buffer | null> {
  const writer = new ByteWriter()
  const blocksOf = (entry: Described) => (chosen.has(entry) ? (entry.blocks ?? []) : [])
  const write = async (writeOne: (entry: Described) => void) => {
    for (const entry of entries) writeOne(entry)
    if (isSliceOver()) await nextSlice()
  }
  writer.varint(entries.length)
  writePaths(writer, entries)
  let end = 0
  await write(({ dataAt, packed }) => {
    writer.varint(dataAt - end)
    end = dataAt + packed
  })
  await write(({ packed }) => writer.varint(packed))
  await write(({ size }) => writer.varint(size))
  await write(({ method }) => writer.varint(method))
  await write(({ mode }) => writer.varint(mode ?? 0))
  await write(({ sha256 }) => writer.bytes(Buffer.from(sha256, 'hex')))
  await write((entry) => writer.varint(blocksOf(entry).length))
  await write((entry) => {
    for (const { size, packedSize } of blocksOf(entry).slice(0, -1)) {
      writer.varint(size)
      writer.varint(packedSize)
    }
  })
  await write((entry) => {
    for (const { sha256 } of blocksOf(entry)) writer.bytes(Buffer.from(sha256, 'hex'))
  })
  return writer.length > CONTENTS_UNPACKED_MAX ? null : await pack(writer.finish(), {})
}

/** The entries whose blocks fit into the room: those with the largest blocks gain most for each byte. */
function chooseBlocks(entries: readonly Described[], room: number): Set<Described> {
  const chosen = new Set<Described>()
  let left = room
  const bytesPerBlock = ({ packed, blocks }: Described) => packed / (blocks?.length ?? 1)
  const candidates = entries.filter(({ blocks = null }) => blocks !== null)
  for (const entry of candidates.sort((a, b) => bytesPerBlock(b) - bytesPerBlock(a))) {
    const cost = (entry.blocks?.length ?? 0) * BYTES_PER_BLOCK
    if (cost > left) continue
    left -= cost
    chosen.add(entry)
  }
  return chosen
}

/** Each path without the beginning that it shares with the one before it. */
function writePaths(writer: ByteWriter, entries: readonly Described[]): void {
  let previous: Uint8Array = new Uint8Array()
  for (const { path } of entries) {
    const bytes = Buffer.from(path)
    let shared = 0
    while (shared < previous.length && bytes[shared] === previous[shared]) shared += 1
    writer.varint(shared)
    writer.varint(bytes.length - shared)
    writer.bytes(bytes.subarray(shared))
    previous = bytes
  }
}

function readPaths(reader: ByteReader, count: number): string[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let previous: Uint8Array = new Uint8Array()
  let total = 0
  return Array.from({ length: count }, () => {
    const shared = reader.varint()
    const rest = reader.bytes(reader.varint())
    total += shared + rest.length
    if (shared > previous.length || total > CONTENTS_UNPACKED_MAX) {
      throw new MalformedBytes('The contents have a malformed path')
    }
    previous = Buffer.concat([previous.subarray(0, shared), rest])
    try {
      return decoder.decode(previous)
    } catch (error) {
      throw new MalformedBytes('The contents have a path that is not UTF-8', { cause: error })
    }
  })
}

function readBlockSizes(
  reader: ByteReader,
  count: number,
  { size, packed }: { size: number; packed: number },
): HashedBlock[] | null {
  if (count === 0) return null
  const rest = { size, packedSize: packed, sha256: '' }
  const blocks: HashedBlock[] = []
  for (let index = 1; index < count; index += 1) {
    const block = { size: reader.varint(), packedSize: reader.varint(), sha256: '' }
    rest.size -= block.size
    rest.packedSize -= block.packedSize
    blocks.push(block)
  }
  if (rest.size < 0 || rest.packedSize < 0)
    throw new MalformedBytes('The contents have blocks that do not fit')
  return [...blocks, rest]
}

function times<Value>(count: number, read: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => read(index))
}

function readHash(reader: ByteReader): string {
  return Buffer.from(reader.bytes(HASH_BYTES)).toString('hex')
}
