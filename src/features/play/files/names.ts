import { whenReady } from '../../../lib/flow/when-ready.ts'
import { PATH_BYTES_MAX } from '../../../lib/zip/paths.ts'
import type { Directory, PlayedEntry } from './directory.ts'

const INDEX = 'index.html'

/** The name that a path of the address asks for; null where no entry can have it. */
export function readName(pathname: string): string | null {
  // Encoded, each byte takes up to three characters.
  if (pathname.length > PATH_BYTES_MAX * 3) return null
  let path: string
  try {
    path = decodeURIComponent(pathname.slice(1))
  } catch {
    return null
  }
  if (/[\p{Cc}\\]/u.test(path) || path.split('/').some((part) => part === '..' || part === '.')) return null
  return path === '' || path.endsWith('/') ? path + INDEX : path
}

/** Exactly, then with the folder of the entry page in front. */
export function findEntry(
  directory: Directory,
  name: string,
  folder: string,
): PlayedEntry | null | Promise<PlayedEntry | null> {
  return whenReady(
    directory.find(name),
    (entry) => entry ?? (folder === '' ? null : directory.find(folder + name)),
  )
}
