import { crc32, deflateRawSync } from 'node:zlib'

/** One entry, byte by byte. Omitted fields get the correct values. */
export interface ZipPart {
  name: string | Uint8Array
  data?: string | Uint8Array
  /** 0 stores, 8 deflates; other values are only written into the headers. */
  method?: number
  /** The bytes in the zip, instead of those that `method` produces. */
  packed?: Uint8Array
  /** The declared unpacked size. */
  size?: number
  packedSize?: number
  crc?: number
  flags?: number
  /** Unix mode; 0o120777 is a symbolic link. */
  mode?: number
  /** The system in "version made by": 3 for Unix, 0 for FAT. */
  system?: number
  /** Only in the local header. */
  localName?: string | Uint8Array
  localExtra?: Uint8Array
  local?: { flags?: number; method?: number; crc?: number; size?: number; packedSize?: number }
  /** Only in the directory. */
  extra?: Uint8Array
  comment?: string
  offset?: number
  /** Bytes before the local header, and after the packed bytes. */
  before?: Uint8Array
  after?: Uint8Array
  /** Sizes and offset in the 64-bit extra field. */
  zip64?: boolean
}

export interface ZipShape {
  /** Whether to write the 64-bit end records. */
  zip64?: boolean
  comment?: string
  /** Bytes between the entries and the directory, and between the directory and its end. */
  beforeDirectory?: Uint8Array
  beforeEnd?: Uint8Array
  /** Values in the end record. */
  count?: number
  directorySize?: number
  directoryOffset?: number
}

export const EICAR = Buffer.from(
  '*H+H$!ELIF-TSET-SURIVITNA-DRADNATS-RACIE$}7)CC7)^P(45XZP\\4[PA@%P!O5X',
).reverse()

const NOTHING = Buffer.alloc(0)
const NOTHING_PACKED = deflateRawSync(NOTHING)
const UTF8 = 1 << 11
const LONG = 0xffff_ffff

export function makeZip(parts: readonly ZipPart[], shape: ZipShape = {}): Buffer {
  const pieces: Buffer[] = []
  const records: Buffer[] = []
  let at = 0
  for (const part of parts) {
    const { before = NOTHING, after = NOTHING } = part
    const written = describe(part, at + before.length)
    const piece = Buffer.concat([before, localHeader(written), written.packed, after])
    pieces.push(piece)
    records.push(directoryRecord(written))
    at += piece.length
  }
  const directory = Buffer.concat(records)
  const beforeDirectory = Buffer.from(shape.beforeDirectory ?? [])
  const beforeEnd = Buffer.from(shape.beforeEnd ?? [])
  at += beforeDirectory.length
  const end = {
    count: shape.count ?? parts.length,
    size: shape.directorySize ?? directory.length,
    offset: shape.directoryOffset ?? at,
  }
  const tail = shape.zip64 ? end64(end, at + directory.length + beforeEnd.length) : Buffer.alloc(0)
  const plain = shape.zip64 ? { count: 0xffff, size: LONG, offset: LONG } : end
  return Buffer.concat([
    ...pieces,
    beforeDirectory,
    directory,
    beforeEnd,
    tail,
    endRecord(plain, shape.comment ?? ''),
  ])
}

type Written = ReturnType<typeof describe>

function describe(part: ZipPart, at: number) {
  const data = part.data === undefined ? NOTHING : Buffer.from(part.data)
  const method = part.method ?? 8
  const packed = Buffer.from(part.packed ?? (method === 8 ? deflate(data) : data))
  const name = Buffer.from(part.name)
  return {
    name,
    method,
    packed,
    flags: part.flags ?? UTF8,
    crc: part.crc ?? crc32(data),
    size: part.size ?? data.length,
    packedSize: part.packedSize ?? packed.length,
    mode: part.mode ?? 0o100_644,
    system: part.system ?? 3,
    offset: part.offset ?? at,
    zip64: part.zip64 ?? false,
    extra: part.extra ? Buffer.from(part.extra) : NOTHING,
    localName: part.localName === undefined ? name : Buffer.from(part.localName),
    localExtra: part.localExtra ? Buffer.from(part.localExtra) : NOTHING,
    local: part.local ?? {},
    comment: part.comment ? Buffer.from(part.comment, 'latin1') : NOTHING,
  }
}

/** Some zips have hundreds of thousands of empty entries. */
function deflate(data: Buffer): Buffer {
  return data.length === 0 ? NOTHING_PACKED : deflateRawSync(data)
}

function localHeader(directory: Written): Buffer {
  const part = { ...directory, ...directory.local }
  const localExtra = part.zip64 ? Buffer.concat([extra64(part, 2), part.localExtra]) : part.localExtra
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(part.flags, 6)
  header.writeUInt16LE(part.method, 8)
  writeSums(header, 14, part)
  header.writeUInt16LE(part.localName.length, 26)
  header.writeUInt16LE(localExtra.length, 28)
  return Buffer.concat([header, part.localName, localExtra])
}

function directoryRecord(part: Written): Buffer {
  const extra = part.zip64 ? Buffer.concat([extra64(part, 3), part.extra]) : part.extra
  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE((part.system << 8) | 20, 4)
  record.writeUInt16LE(20, 6)
  record.writeUInt16LE(part.flags, 8)
  record.writeUInt16LE(part.method, 10)
  writeSums(record, 16, part)
  record.writeUInt16LE(part.name.length, 28)
  record.writeUInt16LE(extra.length, 30)
  record.writeUInt16LE(part.comment.length, 32)
  record.writeUInt32LE(part.mode * 2 ** 16, 38)
  record.writeUInt32LE(part.zip64 ? LONG : part.offset, 42)
  return Buffer.concat([record, part.name, extra, part.comment])
}

function writeSums(record: Buffer, at: number, part: Written): void {
  record.writeUInt32LE(part.crc, at)
  record.writeUInt32LE(part.zip64 ? LONG : part.packedSize, at + 4)
  record.writeUInt32LE(part.zip64 ? LONG : part.size, at + 8)
}

/** Size, packed size and offset; local headers have no offset. */
function extra64({ size, packedSize, offset }: Written, count: 2 | 3): Buffer {
  const field = Buffer.alloc(4 + count * 8)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(count * 8, 2)
  for (const [index, value] of [size, packedSize, offset].slice(0, count).entries()) {
    field.writeBigUInt64LE(BigInt(value), 4 + index * 8)
  }
  return field
}

interface End {
  count: number
  size: number
  offset: number
}

function end64({ count, size, offset }: End, at: number): Buffer {
  const record = Buffer.alloc(56 + 20)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  for (const [index, value] of [count, count, size, offset].entries()) {
    record.writeBigUInt64LE(BigInt(value), 24 + index * 8)
  }
  record.writeUInt32LE(0x07064b50, 56)
  record.writeBigUInt64LE(BigInt(at), 64)
  record.writeUInt32LE(1, 72)
  return record
}

/** The extra field with the Unicode name. */
export function unicodeName(plain: string, name: string): Buffer {
  const data = Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), Buffer.from(name)])
  data.writeUInt32LE(crc32(plain), 1)
  const head = Buffer.alloc(4)
  head.writeUInt16LE(0x7075, 0)
  head.writeUInt16LE(data.length, 2)
  return Buffer.concat([head, data])
}

/** The data descriptor after an entry that was written as a stream. */
export function makeDescriptor(
  { crc, size, packedSize }: { crc: number; size: number; packedSize: number },
  { signed = true, wide = false } = {},
): Buffer {
  const numbers = Buffer.alloc(wide ? 20 : 12)
  numbers.writeUInt32LE(crc, 0)
  for (const [index, value] of [packedSize, size].entries()) {
    if (wide) numbers.writeBigUInt64LE(BigInt(value), 4 + index * 8)
    else numbers.writeUInt32LE(value, 4 + index * 4)
  }
  return Buffer.concat([Buffer.from(signed ? 'PK\u0007\u0008' : ''), numbers])
}

function endRecord({ count, size, offset }: End, comment: string): Buffer {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(size, 12)
  record.writeUInt32LE(offset, 16)
  record.writeUInt16LE(comment.length, 20)
  return Buffer.concat([record, Buffer.from(comment, 'latin1')])
}
