import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'

import { type ExtraField, getFileNameLowLevel } from 'yauzl'

export interface EntryNames {
  /** The one that is used. */
  path: string
  /** What other programs may take for the name. */
  others: string[]
}

const UTF8_NAMES = 1 << 11
const UNICODE_PATH = 0x7075
/** The version and a checksum of the plain name stand before the other name. */
const UNICODE_PATH_HEAD = 5
const ASCII_END = 0x80
/** The upper half of code page 437, which names without a flag are written in by the letter of the format. */
const CP437 = getFileNameLowLevel(
  0,
  Buffer.from(Array.from({ length: 256 - ASCII_END }, (_, index) => ASCII_END + index)),
  [],
  true,
)

/** The Unicode Path field counts where its checksum is that of the plain name; some programs do not compare it. */
export function readNames(flags: number, rawName: Buffer, fields: readonly ExtraField[]): EntryNames {
  const plain = decodePlain(flags, rawName)
  const unicode = fields
    .filter(({ id, data }) => id === UNICODE_PATH && data.length > UNICODE_PATH_HEAD && data[0] === 1)
    .map(({ data }) => ({
      name: data.toString('utf8', UNICODE_PATH_HEAD),
      counts: data.readUInt32LE(1) === crc32(rawName),
    }))
  const path = unicode.find(({ counts }) => counts)?.name ?? plain
  const others = new Set([plain, ...unicode.map(({ name }) => name)])
  others.delete(path)
  return { path, others: [...others] }
}

/** Info-ZIP and macOS write UTF-8 without its flag; text of the old code page is practically never valid UTF-8. */
function decodePlain(flags: number, rawName: Buffer): string {
  if ((flags & UTF8_NAMES) !== 0 || isUtf8(rawName)) return rawName.toString('utf8')
  return Array.from(rawName, (byte) =>
    byte < ASCII_END ? String.fromCharCode(byte) : CP437[byte - ASCII_END],
  ).join('')
}

/** Leaves out what names nothing: `./a//b` is `a/b`. The packed folder itself stays `./`. */
export function simplifyPath(path: string): string {
  const parts = path.split('/')
  const named = parts.filter((part) => part !== '' && part !== '.')
  if (named.length === 0) return './'
  return parts.at(-1) === '' ? `${named.join('/')}/` : named.join('/')
}
