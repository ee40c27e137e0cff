import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import { isSliceOver, nextSlice } from '../../lib/flow/loop-slices.ts'
import { encodeBlocks, type ZipBlock } from '../../lib/zip/blocks.ts'
import {
  directoryRecord,
  EARLIEST_STAMP,
  endRecords,
  type EntryRecord,
  localHeader,
  UTF8_NAMES,
} from '../../lib/zip/records.ts'
import type { ListedFile } from './file-list.ts'
import type { PackFile } from './list-files.ts'
import { changed, readPieces, SINGLE_BLOCK_MAX } from './read-blocks.ts'

const FOLDER_MODE = 0o040_755
const FILE_MODE = 0o100_644
const PROGRAM_MODE = 0o100_755
/** The checksum follows the writes at a distance: headers are completed after their content. */
const HASH_STEP = 4 * 1024 ** 2
const READ_SIZE = 1024 ** 2

/** A part of a file, to find it in an earlier zip. */
export interface PackedBlock extends ZipBlock {
  sha256: string
}

/** A file and the place of its packed bytes in the zip, after the header. */
export interface PackedEntry extends Omit<ListedFile, 'sha256'> {
  /** Null where the SHA-256 of its blocks say the same. */
  sha256: string | null
  blocks: PackedBlock[]
  at: number
  length: number
}

/**
 * Writes a zip into a file, one entry after the other. Writes at once: in the runtime's pool it would wait behind the
 * blocks that are compressed there.
 */
export class ZipSpool {
  readonly entries: PackedEntry[] = []
  readonly #handle: FileHandle
  readonly #records: EntryRecord[] = []
  readonly #checksum = new Bun.CryptoHasher('sha256')
  #position = 0
  #hashed = 0

  /** `hashesWhole`: files with several blocks get a SHA-256 too. */
  constructor(
    handle: FileHandle,
    private readonly hashesWhole: boolean,
  ) {
    this.#handle = handle
  }

  open(file: PackFile): SpoolEntry {
    return new SpoolEntry(file, this.#position, this.hashesWhole || file.size <= SINGLE_BLOCK_MAX)
  }

  /** Adds packed bytes. The header is written with the first of them, and again when the sums are known. */
  async append(entry: SpoolEntry, packed: Uint8Array, raw: Uint8Array, isLast: boolean): Promise<void> {
    const isFirst = entry.record.packedSize === 0 && entry.rawSize === 0
    entry.add(packed, raw)
    const isStored = isLast && entry.record.packedSize >= entry.rawSize
    if (isFirst && isLast) {
      if (isStored) entry.store()
      this.#write([entry.header(), isStored ? raw : packed])
    } else {
      this.#write(isFirst ? [entry.header(), packed] : [packed])
      if (isStored) await this.#rewriteStored(entry)
      if (isLast) writeAll(this.#handle, entry.header(), entry.record.offset)
    }
    if (isLast) await this.#close(entry)
  }

  /** Writes the directory. Returns the size and SHA-256 of the zip. */
  async end(): Promise<{ size: number; checksum: string }> {
    const directory = { count: this.#records.length, size: 0, offset: this.#position }
    for (let at = 0; at < this.#records.length; at += 1000) {
      this.#write(this.#records.slice(at, at + 1000).map(directoryRecord))
    }
    directory.size = this.#position - directory.offset
    this.#write([endRecords(directory)])
    await this.#hashUpTo(this.#position)
    await this.#handle.sync()
    return { size: this.#position, checksum: this.#checksum.digest('hex') }
  }

  async #close(entry: SpoolEntry): Promise<void> {
    const { record, file } = entry
    this.#records.push(record)
    const { path, size, isExecutable: executable } = file
    const { packedSize: length } = record
    if (!file.isFolder) {
      const { sha256, blocks } = entry.finish()
      this.entries.push({ path, size, sha256, executable, blocks, at: this.#position - length, length })
    }
    if (this.#position - this.#hashed >= HASH_STEP) await this.#hashUpTo(this.#position)
  }

  /** The file did not shrink, so it is written once more, as it is. */
  async #rewriteStored(entry: SpoolEntry): Promise<void> {
    const { file, record } = entry
    const { crc } = record
    entry.store()
    this.#position = record.offset + entry.header().length
    await this.#handle.truncate(this.#position)
    let again = 0
    for (const { bytes } of readPieces(file)) {
      again = crc32(bytes, again)
      this.#write([bytes])
      if (isSliceOver()) await nextSlice()
    }
    if (again !== crc) throw changed(file, 'changed')
  }

  #write(parts: readonly Uint8Array[]): void {
    const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
    writeAll(this.#handle, bytes, this.#position)
    this.#position += bytes.length
  }

  async #hashUpTo(end: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(READ_SIZE)
    while (this.#hashed < end) {
      const wanted = Math.min(READ_SIZE, end - this.#hashed)
      const { bytesRead } = await this.#handle.read(buffer, 0, wanted, this.#hashed)
      if (bytesRead === 0) throw new Error('The packed zip was shortened by another program.')
      this.#checksum.update(buffer.subarray(0, bytesRead))
      this.#hashed += bytesRead
    }
  }
}

/** One entry while it is written. */
export class SpoolEntry {
  readonly record: EntryRecord
  rawSize = 0
  #blocks: PackedBlock[] = []
  readonly #content: Bun.CryptoHasher | null

  constructor(
    readonly file: PackFile,
    offset: number,
    hashesWhole: boolean,
  ) {
    const { path, isFolder, isExecutable, size } = file
    const mode = isFolder ? FOLDER_MODE : isExecutable ? PROGRAM_MODE : FILE_MODE
    const name = Buffer.from(path)
    const sums = { crc: 0, packedSize: 0, size }
    this.record = { name, flags: UTF8_NAMES, isDeflated: true, stamp: EARLIEST_STAMP, ...sums, mode, offset }
    this.#content = hashesWhole ? new Bun.CryptoHasher('sha256') : null
  }

  add(packed: Uint8Array, raw: Uint8Array): void {
    this.record.crc = crc32(raw, this.record.crc)
    this.record.packedSize += packed.length
    this.rawSize += raw.length
    this.#content?.update(raw)
    if (this.file.size <= SINGLE_BLOCK_MAX) return
    this.#blocks.push({ sha256: sha256Hex(raw), size: raw.length, packedSize: packed.length })
  }

  store(): void {
    this.record.isDeflated = false
    this.record.packedSize = this.rawSize
    this.#blocks = this.#blocks.map((block) => ({ ...block, packedSize: block.size }))
  }

  /** Completes the record for the directory. */
  finish(): { sha256: string | null; blocks: PackedBlock[] } {
    this.record.blockField = encodeBlocks(this.#blocks)
    return { sha256: this.#content?.digest('hex') ?? null, blocks: this.#blocks }
  }

  header(): Buffer {
    return localHeader(this.record)
  }
}

function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(handle.fd, bytes, written, bytes.length - written, position + written)
  }
}
