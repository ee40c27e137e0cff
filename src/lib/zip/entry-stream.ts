import { pipeline } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'

import type { BlockReader } from './block-reader.ts'
import { LOCAL_HEADER_SIZE, type ZipEntry } from './directory.ts'
import { quoteName, ZipError } from './zip-error.ts'

const LOCAL_HEADER = 0x0403_4b50
/** Up to here an entry is unpacked in one step: a stream for each of many small ones costs more than its bytes. */
const SMALL = 256 * 1024
const CHUNK_SIZE = 256 * 1024

/** The entry's content, unpacked in pieces. Throws `ZipError` as soon as it is not what the directory says. */
export async function* readContent(reader: BlockReader, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  let size = 0
  let crc = 0
  for await (const piece of unpack(reader, entry, await findData(reader, entry))) {
    size += piece.length
    if (size > entry.size) throw outgrown(entry)
    crc = crc32(piece, crc)
    yield piece
  }
  if (size < entry.size) throw damaged(entry, 'it is shorter than the zip says')
  if (crc !== entry.crc) throw damaged(entry, 'its checksum does not fit')
}

/** Where the packed bytes begin, after the local header, which has to agree with the directory. */
async function findData(reader: BlockReader, entry: ZipEntry): Promise<number> {
  const { offset, rawName } = entry
  const header = Buffer.from(await reader.read(offset, LOCAL_HEADER_SIZE))
  const nameLength = header.readUInt16LE(26)
  const name = await reader.read(offset + LOCAL_HEADER_SIZE, Math.min(nameLength, rawName.length))
  const agrees =
    header.readUInt32LE(0) === LOCAL_HEADER &&
    header.readUInt16LE(8) === (entry.isDeflated ? 8 : 0) &&
    nameLength === rawName.length &&
    Buffer.compare(name, rawName) === 0
  if (!agrees) throw damaged(entry, 'its header is not what the directory says')
  const start = offset + LOCAL_HEADER_SIZE + nameLength + header.readUInt16LE(28)
  if (start + entry.packedSize > entry.until) throw damaged(entry, 'it runs into the next one')
  return start
}

async function* unpack(reader: BlockReader, entry: ZipEntry, start: number): AsyncGenerator<Uint8Array> {
  const { packedSize, size, isDeflated } = entry
  try {
    if (!isDeflated) yield* reader.stream(start, packedSize)
    else if (size <= SMALL && packedSize <= SMALL) {
      const packed = await reader.read(start, packedSize)
      // Room for one byte more shows an entry that outgrows its size.
      const room = size + 1
      yield inflateRawSync(packed, { maxOutputLength: room, chunkSize: Math.max(64, room) })
    } else {
      const inflater = createInflateRaw({ chunkSize: CHUNK_SIZE })
      // Failures of either end are thrown by the loop below.
      yield* pipeline(reader.stream(start, packedSize), inflater, () => undefined)
    }
  } catch (error) {
    throw toZipError(entry, error)
  }
}

/** What the inflater says about the bytes; failures of the source stay what they are. */
function toZipError(entry: ZipEntry, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') return outgrown(entry)
  return code.startsWith('Z_') ? damaged(entry, 'it cannot be unpacked') : error
}

function outgrown({ path }: ZipEntry): ZipError {
  return new ZipError(`${quoteName(path)} unpacks to more than the zip says.`)
}

function damaged({ path }: ZipEntry, reason: string): ZipError {
  return new ZipError(`${quoteName(path)} is damaged: ${reason}.`)
}
