import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { matchesSave, mayHoldSaves } from '../../domain/builds/save-patterns.ts'
import { SAVE_BYTES_MAX } from '../../domain/saves.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import { isSliceOver, nextSlice } from '../../lib/flow/loop-slices.ts'
import { PathSet, requireSafePath } from '../../lib/zip/paths.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import { CliError, codeOf } from '../cli-error.ts'
import { lookAt } from '../install/record.ts'
import { packSave, SAVE_FILES_MAX, tooLarge } from './archive.ts'
import { hasFolder, INCOMING, type SaveFolder } from './folders.ts'

/** A file on the disk that belongs to a save. */
export interface FoundFile {
  /** Its folder, and its way from there as the disk has it. */
  folder: SaveFolder
  at: string
  /** Its name in the save. */
  path: string
  size: number
  modifiedAt: number
}

export interface LocalSave {
  /** The bytes of a revision. */
  bytes: Uint8Array
  sha256: string
  /** With the SHA-256 of each. */
  files: (FoundFile & { sha256: string })[]
}

interface Found {
  files: FoundFile[]
  /** Links, which are not followed. */
  links: string[]
}

/** Of files that belong to the game or to no save. */
const LOOKS_MAX = 100_000
const DEPTH_MAX = 32
const ATTEMPTS = 5
const PAUSE_MS = 300

/** The files of a save, without what is reached through links. */
export async function listSaveFiles(folders: readonly SaveFolder[]): Promise<Found> {
  const found: Found = { files: [], links: [] }
  const names = new PathSet()
  const seen = new Set<string>()
  let looks = 0
  async function walk(folder: SaveFolder, way: readonly string[]): Promise<void> {
    for (const entry of await readFolder(join(folder.path, ...way))) {
      looks += 1
      if (looks > LOOKS_MAX)
        throw new CliError('files', `There are more than ${LOOKS_MAX} files in ${folder.path}.`)
      if (isSliceOver()) await nextSlice()
      const at = [...way, entry.name]
      const path = at.join('/').normalize('NFC')
      if (entry.name === INCOMING) continue
      if (entry.isDirectory()) {
        if (at.length < DEPTH_MAX && mayHoldSaves(folder.pattern, path)) await walk(folder, at)
        continue
      }
      if (!matchesSave(folder.pattern, path)) continue
      const target = join(folder.path, ...at)
      // Two patterns of one folder can match the same file.
      if (seen.has(target)) continue
      seen.add(target)
      if (entry.isSymbolicLink()) found.links.push(target)
      if (!entry.isFile()) continue
      addName(names, path, target)
      const info = await lookAt(target)
      if (!info?.isFile()) continue
      found.files.push({ folder, at: at.join('/'), path, size: info.size, modifiedAt: info.mtimeMs })
      if (found.files.length > SAVE_FILES_MAX)
        throw new CliError('files', `The save has more than ${SAVE_FILES_MAX} files in ${folder.path}.`)
    }
  }
  for (const folder of folders) if (await hasFolder(folder)) await walk(folder, [])
  const size = found.files.reduce((sum, file) => sum + file.size, 0)
  if (size > SAVE_BYTES_MAX) throw tooLarge(size)
  return found
}

async function readFolder(path: string) {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String(codeOf(error)))) return []
    throw error
  }
}

/** Names that another system could not write are refused here, where they can still be changed. */
function addName(names: PathSet, path: string, target: string): void {
  try {
    requireSafePath(path)
    names.add(path)
  } catch (error) {
    if (!(error instanceof ZipError)) throw error
    throw new CliError('files', `${target} cannot be part of a save: ${error.message}`)
  }
}

interface CollectOptions {
  isSingle: boolean
  signal: AbortSignal
}

/** Null where there are no files. Reads again while files change; a game may still be writing. */
export async function collectSave(
  folders: readonly SaveFolder[],
  { isSingle, signal }: CollectOptions,
): Promise<{ save: LocalSave | null; links: string[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const { files, links } = await listSaveFiles(folders)
    const read = await readAll(files)
    if (read !== null && isSame(files, (await listSaveFiles(folders)).files)) {
      if (read.length === 0) return { save: null, links }
      const [only] = read
      const bytes = isSingle && only ? only.bytes : await packSave(read)
      const hashed = read.map(({ file, bytes: own }) => ({ ...file, sha256: sha256Hex(own) }))
      return { save: { bytes, sha256: sha256Hex(bytes), files: hashed }, links }
    }
    if (attempt === ATTEMPTS)
      throw new CliError('files', 'The save changes while it is read, so it was not sent.', {
        hint: 'Close the game and run "shelf saves push".',
      })
    await sleep(PAUSE_MS, undefined, { signal })
  }
}

/** Whether no file was added, removed or written. */
export function isSame(before: readonly FoundFile[], after: readonly FoundFile[]): boolean {
  const describe = ({ folder, at, size, modifiedAt }: FoundFile) =>
    JSON.stringify([folder.path, at, size, modifiedAt])
  const known = new Set(before.map(describe))
  return before.length === after.length && after.every((file) => known.has(describe(file)))
}

/** Not through a link that took the place of the file, and without waiting for the other end of a pipe. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Null if a file is not the one that was listed any more. */
async function readAll(
  files: readonly FoundFile[],
): Promise<{ file: FoundFile; path: string; bytes: Uint8Array }[] | null> {
  const read: { file: FoundFile; path: string; bytes: Uint8Array }[] = []
  for (const file of files) {
    const bytes = await readStable(file)
    if (bytes === null) return null
    read.push({ file, path: file.path, bytes })
  }
  return read
}

async function readStable({ folder, at, size, modifiedAt }: FoundFile): Promise<Uint8Array | null> {
  try {
    await using handle = await open(join(folder.path, at), READ)
    const before = await handle.stat()
    if (!before.isFile() || before.size !== size || before.mtimeMs !== modifiedAt) return null
    // One byte more shows whether the file grew.
    const buffer = Buffer.alloc(size + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    const after = await handle.stat()
    return length === size && after.mtimeMs === modifiedAt && after.size === size
      ? buffer.subarray(0, size)
      : null
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'].includes(String(codeOf(error)))) return null
    throw error
  }
}
