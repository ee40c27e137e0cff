import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

import { unlessMissing } from '../../lib/unless-missing.ts'
import type { Retry } from '../api/retry.ts'
import { findMissing, type Missing } from './check-staged.ts'
import { copyPart } from './copy-part.ts'
import { ContentHashes } from './fetch/content-hashes.ts'
import {
  fetchParts,
  listWholeFiles,
  planRequests,
  type Use,
  wantPiece,
  wantSegment,
  type ZipSource,
} from './fetch/fetch-parts.ts'
import type { Wanted } from './fetch/ranges.ts'
import { ChangedFile } from './fetch/remote-file.ts'
import { measureWork } from './measure-work.ts'
import type { InstallPlan, LocalPart, NewFile } from './plan.ts'
import type { InstallProgress } from './progress.ts'
import { StagedFiles } from './staged-files.ts'

export interface StageOptions {
  /** Of the installation. */
  folder: string
  source: ZipSource
  progress: InstallProgress
  signal: AbortSignal
  createRetry: (stop: AbortSignal) => Retry
}

type Local = InstallPlan['local']

/** A file that is still wrong after so many attempts is refused. */
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
    // A copy that is wrong is not made again: its source is.
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
