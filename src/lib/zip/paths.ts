import { quoteName, ZipError } from './zip-error.ts'

export const PATH_BYTES_MAX = 1024
export const PATHS_MAX = 200_000

/** Refuses names that could lead outside the folder a zip is unpacked into, or that no system can write. */
export function requireSafePath(path: string): void {
  const fault = findFault(path)
  if (fault) throw new ZipError(`${quoteName(path)} ${fault}`)
}

function findFault(path: string): string | null {
  if (path === '') return 'is a name without any character.'
  if (/\p{Cc}/u.test(path)) return 'has control characters in its name.'
  if (path.startsWith('/')) return 'is an absolute path; names must be relative.'
  if (path.includes('\\')) return 'has a backslash in its name; folders are separated by /.'
  if (/^[a-z]:/i.test(path)) return 'begins with a drive letter; names must be relative.'
  if (path.split('/').includes('..')) return 'leads out of its folder by "..".'
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `has a name of more than ${PATH_BYTES_MAX} bytes.`
  return null
}

/** Finds names that are one file on a system that does not tell upper from lower case, or composed from plain letters. */
export class PathSet {
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, string>()

  add(path: string): void {
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
    if (this.#files.size + this.#folders.size > PATHS_MAX) throw tooMany()
  }

  /** Up to the first that is known, whose own folders are known too. */
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

/** Upper case first: some letters have one upper but two lower forms. */
function foldPath(path: string): string[] {
  const folded = path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
  return folded.split('/').filter((part) => part !== '' && part !== '.')
}
