import { type FileHandle, lstat, mkdir, readdir, rename, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

import { unlessMissing } from '../../lib/unless-missing.ts'
import { createBlockReader } from '../../lib/zip/block-reader.ts'
import type { Retry } from '../api/retry.ts'
import { codeOf } from '../cli-error.ts'
import { copyPart, hashPart, syncFile, writeAll } from './durable.ts'
import { ContentHashes } from './fetch/content-hashes.ts'
import {
  fetchParts,
  listWholeFiles,
  openForWriting,
  planRequests,
  type Use,
  wantPiece,
  wantSegment,
  type ZipSource,
} from './fetch/fetch-parts.ts'
import { ChangedFile } from './fetch/remote-file.ts'
import { Spool, type Wanted } from './fetch/spool.ts'
import type { InstallPlan, LocalPart, NewFile, Piece } from './plan.ts'
import type { InstallProgress } from './progress.ts'
import { keepOwnFile, keepOwnFolder, statePaths } from './record.ts'

const SYNCS_AT_ONCE = 8

/** The files of the next version while they are written, beside the installed ones. */
class StagedFiles {
  readonly folder: string
  readonly #spools: string

  /** Of the installation. */
  constructor(folder: string) {
    const { staged, spools } = statePaths(folder)
    this.folder = staged
    this.#spools = spools
  }

  /** Removes what another version needed, and what shelf did not write. */
  async prepare(files: readonly NewFile[]): Promise<void> {
    const names = new Set(files.map(({ staged }) => staged))
    for (const [folder, keepOwn] of [
      [this.folder, keepOwnFile],
      [this.#spools, keepOwnFolder],
    ] as const) {
      await mkdir(folder, { recursive: true })
      for (const name of await readdir(folder)) {
        const path = join(folder, name)
        if (names.has(name)) await keepOwn(path)
        else await rm(path, { recursive: true, force: true })
      }
    }
  }

  path({ staged }: NewFile): string {
    return join(this.folder, staged)
  }

  async open(file: NewFile): Promise<FileHandle> {
    return await openForWriting(this.path(file), file.isExecutable)
  }

  async writeEmpty(file: NewFile): Promise<void> {
    await using handle = await this.open(file)
    await handle.truncate(0)
  }

  async remove(file: NewFile): Promise<void> {
    await rm(this.path(file), { force: true })
  }

  /** For the packed bytes of a file that cannot be unpacked in parts. */
  spool({ staged, packedAt, packed }: NewFile): Spool {
    return new Spool(join(this.#spools, staged), packedAt, packed)
  }

  /** False for bytes that are not what the store announced. Never writes more than that. */
  async unpackSpool(file: NewFile, signal: AbortSignal): Promise<boolean> {
    const packed = createBlockReader(this.spool(file)).stream(0, file.packed)
    const content: AsyncIterable<Uint8Array> = file.isDeflated
      ? pipeline(packed, createInflateRaw(), () => undefined)
      : packed
    const draft = `${this.path(file)}.part`
    await rm(draft, { force: true })
    try {
      await using handle = await openForWriting(draft, file.isExecutable)
      let size = 0
      for await (const piece of content) {
        signal.throwIfAborted()
        size += piece.length
        if (size > file.size) return false
        await writeAll(handle, piece)
      }
    } catch (error) {
      if (String(codeOf(error)).startsWith('Z_')) return false
      throw error
    }
    await rename(draft, this.path(file))
    return true
  }

  /** Before they are put in place: the system may hold the bytes only in memory. */
  async sync(files: readonly NewFile[]): Promise<void> {
    const queue = files.values()
    const work = async () => {
      for (const file of queue) await syncFile(this.path(file))
    }
    await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, work))
  }
}

/** What is not yet written, or not right. */
interface Missing {
  file: NewFile
  /** Null where the whole file is missing. */
  pieces: Piece[] | null
}

/** Reads what was written and compares it with its SHA-256, unless it was hashed while it came in. */
async function findMissing(
  staged: StagedFiles,
  files: readonly NewFile[],
  right: ReadonlySet<NewFile>,
  { progress, signal }: { progress: InstallProgress; signal: AbortSignal },
): Promise<Missing[]> {
  const written: { file: NewFile; size: number }[] = []
  const missing: Missing[] = []
  for (const file of files) {
    if (right.has(file)) continue
    const found = await unlessMissing(lstat(staged.path(file)))
    if (found === null) missing.push({ file, pieces: null })
    else written.push({ file, size: found.size })
  }
  for (const { file, size } of written) {
    signal.throwIfAborted()
    const isRight = await isComplete(staged.path(file), file, size)
    progress.advance('checked', size)
    if (!isRight) missing.push({ file, pieces: await findWrongPieces(staged, file, size) })
    else if (file.pieces === null) await staged.spool(file).remove()
  }
  return missing
}

async function isComplete(path: string, file: NewFile, size: number): Promise<boolean> {
  return size === file.size && (await hashPart({ path, at: 0, size })) === file.sha256
}

/** Null for a file that must be written again as a whole. */
async function findWrongPieces(staged: StagedFiles, file: NewFile, size: number): Promise<Piece[] | null> {
  const path = staged.path(file)
  if (file.pieces === null || file.copyOf !== null) {
    await staged.remove(file)
    await staged.spool(file).remove()
    return null
  }
  if (size > file.size) await truncate(path, file.size)
  const wrong: Piece[] = []
  for (const piece of file.pieces) {
    const isThere = piece.at + piece.size <= size
    if (!isThere || (await hashPart({ ...piece, path })) !== piece.sha256) wrong.push(piece)
  }
  // All parts are as announced, but together they are not the file.
  return wrong.length === 0 ? file.pieces : wrong
}

/** The bytes that are copied, fetched and checked for files, as far as everything goes well. */
function measureWork(missing: readonly Missing[], local: InstallPlan['local']): number {
  return missing.reduce((sum, one) => sum + measureFile(one, local), 0)
}

function measureFile({ file, pieces }: Missing, local: InstallPlan['local']): number {
  const read = file.size
  if (pieces === null && (file.copyOf !== null || local.has(file.sha256))) return file.size + read
  if (file.pieces === null) return file.packed + read
  const parts = pieces ?? file.pieces
  const bytes = parts.reduce((sum, { sha256, size, packed }) => sum + (local.has(sha256) ? size : packed), 0)
  // What is fetched as a whole is hashed on the way, not read again.
  const isFetched = parts.length === file.pieces.length && parts.every(({ sha256 }) => !local.has(sha256))
  return isFetched ? bytes : bytes + read
}

interface StageOptions {
  /** Of the installation. */
  folder: string
  source: ZipSource
  progress: InstallProgress
  signal: AbortSignal
  createRetry: (stop: AbortSignal) => Retry
}

type Local = InstallPlan['local']

/** A file that is still wrong after this many rounds is refused. */
const ROUNDS_MAX = 3

/**
 * Writes all new files beside the installed ones, from what is on the disk as far as possible. What an interrupted
 * command wrote is found by its SHA-256 and not fetched again. Returns how many bytes were copied.
 */
export async function stageFiles(plan: InstallPlan, options: StageOptions): Promise<{ copied: number }> {
  const staged = new StagedFiles(options.folder)
  await staged.prepare(plan.files)
  const right = new Set<NewFile>()
  let copied = 0
  const all = plan.files.map((file) => ({ file, pieces: null }))
  options.progress.expect(measureWork(all, plan.local))
  for (let round = 0; ; round += 1) {
    const missing = await findMissing(staged, plan.files, right, options)
    const [first] = missing
    if (!first) break
    if (round === ROUNDS_MAX) {
      const path = `"${first.file.path}"`
      throw new ChangedFile(`${path} is not what the store announced, however often it is fetched.`)
    }
    // Only the first round copies: if a copy is wrong, its source is wrong too.
    const local = round === 0 ? plan.local : new Map<string, LocalPart>()
    copied += await fill(staged, { local, missing, right }, options)
    const unchecked = plan.files.filter((file) => !right.has(file))
    options.progress.expect(unchecked.reduce((sum, { size }) => sum + size, 0))
  }
  await staged.sync(plan.files)
  return { copied }
}

/** Copies what is on this machine, fetches the rest. Returns how many bytes were copied. */
async function fill(
  staged: StagedFiles,
  { local, missing, right }: { local: Local; missing: readonly Missing[]; right: Set<NewFile> },
  options: StageOptions,
): Promise<number> {
  const own = missing.filter(({ file }) => file.copyOf === null)
  options.progress.expect(measureWork(missing, local))
  const { wanted, copied } = await copyLocal(staged, local, own, options)
  for (const file of await fetchWanted(staged, wanted, options)) right.add(file)
  await unpackSpools(staged, own, options)
  return copied + (await copyDuplicates(staged, missing, options))
}

async function copyLocal(
  staged: StagedFiles,
  local: Local,
  missing: readonly Missing[],
  { progress, signal, folder }: StageOptions,
): Promise<{ wanted: Wanted<Use>[]; copied: number }> {
  const wanted: Wanted<Use>[] = []
  let copied = 0

  async function copy(file: NewFile, part: { sha256: string; at: number; size: number }): Promise<boolean> {
    const from = local.get(part.sha256)
    if (!from) return false
    signal.throwIfAborted()
    const isCopied = await copyInto(staged, file, { ...from, path: join(folder, from.path) }, part.at)
    progress.advance('copied', part.size)
    if (isCopied) copied += part.size
    else if (part.size === file.size) await staged.remove(file)
    return isCopied
  }

  for (const { file, pieces } of missing) {
    if (file.size === 0) await staged.writeEmpty(file)
    else if (pieces === null && (await copy(file, { ...file, at: 0 }))) continue
    else if (file.pieces === null) wanted.push(...(await staged.spool(file).listMissing()).map(wantSegment))
    else
      for (const piece of pieces ?? file.pieces)
        if (!(await copy(file, piece))) wanted.push(wantPiece(file, piece))
  }
  return { wanted, copied }
}

async function copyInto(staged: StagedFiles, file: NewFile, from: LocalPart, to: number): Promise<boolean> {
  await using handle = await staged.open(file)
  return await copyPart(from, handle, to)
}

/** Returns the files that are known to be right. */
async function fetchWanted(
  staged: StagedFiles,
  wanted: readonly Wanted<Use>[],
  options: StageOptions,
): Promise<Iterable<NewFile>> {
  if (wanted.length === 0) return []
  const hashes = new ContentHashes(listWholeFiles(wanted))
  await fetchParts(planRequests(wanted, options.source), { ...options, staged: staged.folder, hashes })
  return await hashes.finish()
}

async function unpackSpools(
  staged: StagedFiles,
  missing: readonly Missing[],
  { signal }: StageOptions,
): Promise<void> {
  for (const { file } of missing) {
    if (file.pieces !== null || (await unlessMissing(lstat(staged.path(file)))) !== null) continue
    if (!(await staged.unpackSpool(file, signal))) await staged.spool(file).remove()
  }
}

/** Files of the same content are fetched once. */
async function copyDuplicates(
  staged: StagedFiles,
  missing: readonly Missing[],
  { progress }: StageOptions,
): Promise<number> {
  let copied = 0
  for (const { file } of missing) {
    if (file.copyOf === null) continue
    const from = { path: join(staged.folder, file.copyOf), at: 0, size: file.size }
    if (file.size === 0) await staged.writeEmpty(file)
    else if (await copyInto(staged, file, from, 0)) {
      copied += file.size
      progress.advance('copied', file.size)
    }
  }
  return copied
}
