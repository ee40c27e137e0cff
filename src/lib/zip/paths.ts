import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'

import { type ExtraField, getFileNameLowLevel } from 'yauzl'

import { quoteName, ZipError } from './zip-error.ts'

export const PATH_BYTES_MAX = 1024
export const PATHS_MAX = 200_000

/** Rejects names that could lead outside the target folder, or that Windows treats as something else. */
export function requireSafePath(path: string): void {
  const fault = findFault(path)
  if (fault) throw new ZipError(`${quoteName(path)} ${fault}`)
}

function findFault(path: string): string | null {
  if (path === '') return 'is a name without any character.'
  if (/\p{Cc}/u.test(path)) return 'has control characters in its name.'
  if (path.startsWith('/')) return 'is an absolute path; names must be relative.'
  if (path.includes('\\'))
    return 'has a backslash in its name; folders are separated by /. Pack the folder again, for example with 7-Zip or .NET 4.6.1 and newer.'
  if (/^[a-z]:/i.test(path)) return 'begins with a drive letter; names must be relative.'
  if (path.includes(':'))
    return 'has a colon in its name, which Windows takes for a hidden stream; rename it.'
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `has a name of more than ${PATH_BYTES_MAX} bytes.`
  return (
    path
      .split('/')
      .map(findPartFault)
      .find((fault) => fault !== null) ?? null
  )
}

/** Also matches with an extension, and with spaces before it. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³]) *(?:\.|$)/i

function findPartFault(part: string): string | null {
  if (part === '..') return 'leads out of its folder by "..".'
  if (part === '' || part === '.') return null
  if (trimEnd(part) === '') return 'has a name of dots and spaces alone, which Windows drops; rename it.'
  if (DEVICE.test(part)) return 'has the name of a device on Windows; rename it.'
  return null
}

/**
 * Finds names that some system treats as the same file: by case or composition, by trailing dots and spaces
 * and characters that Windows cannot write, or by invisible characters that old macOS ignores.
 */
export class PathSet {
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, string>()

  /** `others`: names that some program would use instead. */
  add(path: string, others: readonly string[] = []): void {
    const name = this.#add(path)
    for (const other of others) if (foldPath(other).join('/') !== name) this.#add(other)
    if (this.#files.size + this.#folders.size > PATHS_MAX) throw tooMany()
  }

  #add(path: string): string {
    const parts = foldPath(path)
    const name = parts.join('/')
    const isFolder = path.endsWith('/')
    const other = this.#files.get(name) ?? (isFolder ? undefined : this.#folders.get(name))
    if (other !== undefined) throw collision(path, other)
    if (!isFolder) {
      this.#files.set(name, path)
      parts.pop()
    }
    this.#addFolders(path, parts)
    return name
  }

  /** Stops at the first known folder, because its parents are known too. */
  #addFolders(path: string, parts: string[]): void {
    for (; parts.length > 0; parts.pop()) {
      const folder = parts.join('/')
      if (this.#folders.has(folder)) return
      const file = this.#files.get(folder)
      if (file !== undefined) throw collision(path, file)
      this.#folders.set(folder, path)
    }
  }
}

export function tooMany(): ZipError {
  return new ZipError(`The zip holds more than ${PATHS_MAX.toLocaleString('en')} files and folders.`)
}

function collision(path: string, other: string): ZipError {
  return new ZipError(`${quoteName(path)} and ${quoteName(other)} would be the same file on some systems.`)
}

function foldPath(path: string): string[] {
  const folded = foldCase(path).replace(/[<>"|?*]/g, '_')
  return folded
    .split('/')
    .map(trimEnd)
    .filter((part) => part !== '')
}

/** Upper case first: some letters have one upper case but two lower case forms. */
function foldCase(path: string): string {
  if (/^[ -~]*$/.test(path)) return path.toLowerCase()
  const visible = path.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return visible.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

/** Removes the dots and spaces that Windows drops; a regular expression would take quadratic time. */
function trimEnd(part: string): string {
  let end = part.length
  while (part[end - 1] === '.' || part[end - 1] === ' ') end -= 1
  return part.slice(0, end)
}

export interface EntryNames {
  /** The name that is used. */
  path: string
  /** Other names that some programs would use. */
  others: string[]
}

const UTF8_NAMES = 1 << 11
const UNICODE_PATH = 0x7075
/** The Unicode name follows a version and a checksum of the plain name. */
const UNICODE_PATH_HEAD = 5
const ASCII_END = 0x80
/** The upper half of code page 437, which the format prescribes for names without the UTF-8 flag. */
const CP437 = getFileNameLowLevel(
  0,
  Buffer.from(Array.from({ length: 256 - ASCII_END }, (_, index) => ASCII_END + index)),
  [],
  true,
)

/**
 * The Unicode Path field is used if its checksum is that of the plain name; some programs do not check it.
 */
export function parseNames(flags: number, rawName: Buffer, fields: readonly ExtraField[]): EntryNames {
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

/** Removes empty and `.` parts: `./a//b` becomes `a/b`. The packed folder itself stays `./`. */
export function simplifyPath(path: string): string {
  const parts = path.split('/')
  const named = parts.filter((part) => part !== '' && part !== '.')
  if (named.length === 0) return './'
  return parts.at(-1) === '' ? `${named.join('/')}/` : named.join('/')
}
