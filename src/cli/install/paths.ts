import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { PathSet, requireSafePath } from '../../lib/zip/paths.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import { CliError, codeOf } from '../cli-error.ts'

/** Where shelf keeps its own files; a game cannot have one of this name. */
export const STATE_FOLDER = '.shelf'

/** What a system can hold: the longest name, the longest whole path, and how both are counted. */
interface NameRules {
  part: number
  path: number
  measure: (text: string) => number
  isForbidden: (path: string) => boolean
}

const inBytes = (text: string) => Buffer.byteLength(text)
const inUnits = (text: string) => text.length
const LINUX: NameRules = { part: 255, path: 4095, measure: inBytes, isForbidden: () => false }
const MACOS: NameRules = { part: 255, path: 1023, measure: inUnits, isForbidden: () => false }
/** Longer paths exist on Windows, but most programs cannot open them. */
const WINDOWS: NameRules = {
  part: 255,
  path: 259,
  measure: inUnits,
  isForbidden: (path) => NOT_ON_WINDOWS.test(path),
}
const SHOWN_MAX = 20

/** As the names are written on the disk: without empty parts and dots. */
export function cleanPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
}

/** Says for every path that this system cannot hold below the folder why. */
export function findUnfitNames(
  paths: Iterable<string>,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const rules = platform === 'win32' ? WINDOWS : platform === 'darwin' ? MACOS : LINUX
  const known = new PathSet()
  known.add(STATE_FOLDER)
  const faults: string[] = []
  for (const path of paths) {
    try {
      requireSafePath(path)
      known.add(path)
    } catch (error) {
      if (!(error instanceof ZipError)) throw error
      faults.push(error.message)
      continue
    }
    const fault = findFault(path, folder, rules)
    if (fault !== null) faults.push(`"${path}" ${fault}`)
  }
  return faults
}

/** Stops with the list of all of them. */
export function requireFitNames(
  paths: Iterable<string>,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): void {
  const faults = findUnfitNames(paths, folder, platform)
  if (faults.length === 0) return
  const more = faults.length > SHOWN_MAX ? [`and ${faults.length - SHOWN_MAX} more`] : []
  const lines = [...faults.slice(0, SHOWN_MAX), ...more].map((line) => `  ${line}`)
  throw new CliError('files', `This system cannot hold these files:\n${lines.join('\n')}`, {
    hint: 'Nothing was fetched. A shorter folder may help: choose one with --into.',
  })
}

function findFault(path: string, folder: string, rules: NameRules): string | null {
  const clean = cleanPath(path)
  if (clean === '') return 'is a name without any character.'
  if (rules.isForbidden(path)) return 'cannot be written on Windows under this name.'
  const longest = Math.max(...clean.split('/').map(rules.measure))
  if (longest > rules.part) return 'is too long a name for this system.'
  if (rules.measure(`${folder}/${clean}`) > rules.path) return 'is too long a path for this system.'
  return null
}

/** `a` and `a/b` of `a/b/c`. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** A parent that is a file means that there is nothing. */
export async function lookAt(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw error
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await lookAt(path))?.isDirectory() ?? false
}

/** A regular file without a second name: writing into a hard link would change a file elsewhere. */
async function isOwnFile(path: string): Promise<boolean> {
  const found = await lookAt(path)
  return found !== null && found.isFile() && found.nlink === 1
}

/** Removes what is no file of shelf's own, so that nothing is written through links. */
export async function keepOwnFile(path: string): Promise<void> {
  if (!(await isOwnFile(path))) await rm(path, { recursive: true, force: true })
}

/** The same for a folder and the files in it. */
export async function keepOwnFolder(path: string): Promise<void> {
  if (!(await isFolder(path))) return await rm(path, { force: true })
  for (const name of await readdir(path)) await keepOwnFile(join(path, name))
}

/** Characters and ends of names that Windows cannot write. */
const NOT_ON_WINDOWS = /[<>"|?*]|[. ](?:\/|$)/

/** Warns of names that a Windows player could not unpack, or that the store's scan refuses. */
export function findNameFaults(paths: Iterable<string>): string[] {
  const known = new PathSet()
  const faults: string[] = []
  for (const path of paths) {
    try {
      requireSafePath(path)
      known.add(path)
      if (NOT_ON_WINDOWS.test(path)) faults.push(`"${path}" cannot be unpacked on Windows under this name.`)
    } catch (error) {
      if (!(error instanceof ZipError)) throw error
      faults.push(`${error.message} The store will refuse it.`)
    }
  }
  return faults
}
