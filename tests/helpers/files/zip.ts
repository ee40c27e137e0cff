import { crc32 } from 'node:zlib'

export interface ZipMember {
  name: string
  bytes: Uint8Array
}

/** Reads a zip with uncompressed entries by its directory and checks it against the local headers. */
export function readZip(zip: Uint8Array): ZipMember[] {
  const data = Buffer.from(zip)
  const end = data.length - 22
  if (data.readUInt32LE(end) !== 0x06054b50) throw new Error('The zip has no end')
  const members: ZipMember[] = []
  let at = data.readUInt32LE(end + 16)
  for (let count = data.readUInt16LE(end + 10); count > 0; count -= 1) {
    const nameLength = data.readUInt16LE(at + 28)
    const name = data.toString('utf8', at + 46, at + 46 + nameLength)
    members.push({ name, bytes: readEntry(data, name, data.subarray(at, at + 46)) })
    at += 46 + nameLength
  }
  if (at !== end) throw new Error('The directory has another length than it says')
  return members
}

function readEntry(data: Buffer, name: string, record: Buffer): Uint8Array {
  const [crc, size, offset] = [record.readUInt32LE(16), record.readUInt32LE(24), record.readUInt32LE(42)]
  const local = data.subarray(offset)
  const nameLength = local.readUInt16LE(26)
  const bytes = local.subarray(30 + nameLength, 30 + nameLength + size)
  const tail = local.subarray(30 + nameLength + size)
  const isSame =
    record.readUInt32LE(0) === 0x02014b50 &&
    local.readUInt32LE(0) === 0x04034b50 &&
    local.toString('utf8', 30, 30 + nameLength) === name &&
    local.readUInt32LE(10) === record.readUInt32LE(12) &&
    tail.readUInt32LE(0) === 0x08074b50 &&
    tail.readUInt32LE(4) === crc &&
    tail.readUInt32LE(12) === size
  if (!isSame || crc32(bytes) !== crc) throw new Error(`${name} is damaged`)
  return bytes
}
