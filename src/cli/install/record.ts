import { lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { parseJsonOrNull } from '../../lib/json.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CONTENTS_BYTES_MAX, type ContentsEntry, decodeContents } from '../../lib/zip/contents.ts'
import { PathSet, requireSafePath } from '../../lib/zip/paths.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import { CliError, codeOf } from '../cli-error.ts'
import { writeDurably } from './durable.ts'

const Nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([Type.Null(), schema])

const InstalledFile = Type.Object({
  path: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  sha256: Type.String(),
  executable: Type.Boolean(),
  /** When it was written, in milliseconds: a file with this time and size has not been changed since. */
  modified_at: Type.Number(),
})
export type InstalledFile = Static<typeof InstalledFile>

/** What is installed in a folder. */
export const InstallRecord = Type.Object({
  format: Type.Literal(1),
  server: Type.String(),
  game: Type.Object({ uid: Type.String(), vanity_name: Type.String(), name: Type.String() }),
  channel: Type.String(),
  app: Type.String(),
  os: Type.String(),
  arch: Type.String(),
  build_id: Type.String(),
  file_uid: Type.String(),
  /** Size and SHA-256 of the zip. */
  file_size: Type.Integer({ minimum: 0 }),
  checksum: Type.String(),
  version: Type.String(),
  launch: Nullable(Type.Object({ path: Type.String(), args: Type.Optional(Type.Array(Type.String())) })),
  /** Which files belong to a save; older records do not say. */
  saves: Type.Optional(Type.Unknown()),
  /** The program that the player chose. */
  exe: Nullable(Type.String()),
  files: Type.Array(InstalledFile),
})
export type InstallRecord = Static<typeof InstallRecord>

/** More than 200,000 files with the longest names need. */
const STATE_BYTES_MAX = 256 * 1024 ** 2

/** Where shelf keeps its own files; a game cannot have one of this name. */
export const STATE_FOLDER = '.shelf'

/** An update that cannot be finished is fetched again. */
export const STATE_HINT = `Remove the folder next in ${STATE_FOLDER}, then run "shelf verify --repair" for this game.`

/** Where an installation keeps what belongs to no game. */
export function statePaths(folder: string) {
  const state = join(folder, STATE_FOLDER)
  const next = join(state, 'next')
  return {
    state,
    record: join(state, 'install.json'),
    contents: join(state, 'contents'),
    lock: join(state, 'lock'),
    running: join(state, 'running'),
    /** What is written for the next version. */
    next,
    nextRecord: join(next, 'install.json'),
    nextContents: join(next, 'contents'),
    staged: join(next, 'files'),
    spools: join(next, 'spools'),
    /** Names the file for which a link was asked, so that an interrupted installation is counted once. */
    asked: join(next, 'asked'),
    /** Once it is there, the next version is put in place, by this command or a later one. */
    journal: join(next, 'journal.json'),
  }
}

/**
 * Throws if the folder of shelf holds links or other things that shelf did not make: whoever supplied the
 * folder could make shelf write to files elsewhere.
 */
export async function requireOwnState(folder: string): Promise<void> {
  const paths = statePaths(folder)
  const folders = new Set([paths.state, paths.next, paths.staged, paths.spools])
  for (const path of Object.values(paths)) {
    const found = await lookAt(path)
    if (!found || (folders.has(path) ? found.isDirectory() : found.isFile())) continue
    const kind = found.isSymbolicLink() ? 'is a link' : 'is not what shelf put there'
    throw new CliError('files', `${path} ${kind}. Nothing was changed.`, {
      hint: 'Remove it, then run the same command again.',
    })
  }
}

/** Null where the file is missing; `undefined` for one that is too large or no JSON. */
export async function readState(path: string): Promise<unknown> {
  const size = (await lookAt(path))?.size ?? 0
  if (size > STATE_BYTES_MAX) return undefined
  const text = await unlessMissing(readFile(path, 'utf8'))
  return text === null ? null : (parseJsonOrNull(text) ?? undefined)
}

/** Names that a store could not have installed are refused here too: they may lead out of the folder. */
export function requireOwnNames(paths: Iterable<string>, folder: string, file: string, hint: string): void {
  const [fault] = findUnfitNames(paths, folder)
  if (fault !== undefined)
    throw new CliError('files', `${file} names a file that shelf cannot have installed: ${fault}`, { hint })
}

export async function readRecord(folder: string): Promise<InstallRecord | null> {
  await requireOwnState(folder)
  const { record } = statePaths(folder)
  const content = await readState(record)
  if (content === null) return null
  const hint = `Remove it and run "shelf get" again: files that are still right are not fetched again.`
  if (!Value.Check(InstallRecord, content)) throw new CliError('files', `${record} is damaged.`, { hint })
  requireOwnNames(
    content.files.map(({ path }) => path),
    folder,
    record,
    hint,
  )
  return content
}

export async function writeRecord(folder: string, record: InstallRecord): Promise<void> {
  const paths = statePaths(folder)
  await mkdir(paths.state, { recursive: true })
  await writeDurably(paths.record, JSON.stringify(record))
}

/** The contents of the installed build; none where they are missing or damaged, which only costs more bytes. */
export async function readInstalledContents(folder: string): Promise<ContentsEntry[]> {
  const { contents } = statePaths(folder)
  if (((await lookAt(contents))?.size ?? 0) > CONTENTS_BYTES_MAX) return []
  const bytes = await unlessMissing(readFile(contents))
  return bytes === null ? [] : await decodeContents(bytes).catch(() => [])
}

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
