import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

import { unlessMissing } from '../../lib/unless-missing.ts'
import type { Retry } from '../api/retry.ts'
import type { Output } from '../ui/output.ts'
import { ContentHashes } from './content-hashes.ts'
import { copyPart } from './copy-part.ts'
import { fetchParts, planRequests, type Use, wantPiece, wantSegment, type ZipSource } from './fetch-parts.ts'
import { findMissing, type Missing } from './find-missing.ts'
import type { InstallPlan, LocalPart, NewFile } from './plan.ts'
import type { Wanted } from './ranges.ts'
import { ChangedFile } from './remote-file.ts'
import { StagedFiles } from './staged-files.ts'

export interface StageOptions {
  /** Of the installation. */
  folder: string
  /** Shown in the bar. */
  name: string
  source: ZipSource
  output: Output
  signal: AbortSignal
  createRetry: (stop: AbortSignal) => Retry
  /** Tells the bar what was fetched. */
  onFetching: (phase: { advance(count: number): void }) => void
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
  const { wanted, copied } = await copyLocal(staged, local, own, options)
  for (const file of await fetchWanted(staged, wanted, options)) right.add(file)
  await unpackSpools(staged, own, options)
  return copied + (await copyDuplicates(staged, missing))
}

async function copyLocal(
  staged: StagedFiles,
  local: Local,
  missing: readonly Missing[],
  { output, name, signal, folder }: StageOptions,
): Promise<{ wanted: Wanted<Use>[]; copied: number }> {
  const wanted: Wanted<Use>[] = []
  let copied = 0
  const total = measureLocal(local, missing)
  using phase = total > 0 ? output.phase('copying', name, total) : null

  async function copy(file: NewFile, part: { sha256: string; at: number; size: number }): Promise<boolean> {
    const from = local.get(part.sha256)
    if (!from) return false
    signal.throwIfAborted()
    const isCopied = await copyInto(staged, file, { ...from, path: join(folder, from.path) }, part.at)
    phase?.advance(part.size)
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

function measureLocal(local: Local, missing: readonly Missing[]): number {
  const parts = missing.flatMap(({ file, pieces }): { sha256: string; size: number }[] =>
    pieces === null && local.has(file.sha256) ? [file] : (pieces ?? file.pieces ?? []),
  )
  return parts.reduce((sum, { sha256, size }) => sum + (local.has(sha256) ? size : 0), 0)
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
  const { output, name, source, onFetching } = options
  const requests = planRequests(wanted, source)
  const total = requests.reduce((sum, { start, end }) => sum + end - start, 0)
  using phase = output.phase('fetching', name, total)
  onFetching(phase)
  await fetchParts(requests, { ...options, staged: staged.folder, hashes })
  return hashes.right
}

/** The files of which every part is fetched. */
function listWholeFiles(wanted: readonly Wanted<Use>[]): NewFile[] {
  const counts = new Map<NewFile, number>()
  for (const { use } of wanted) if ('file' in use) counts.set(use.file, (counts.get(use.file) ?? 0) + 1)
  return [...counts].filter(([file, count]) => count === file.pieces?.length).map(([file]) => file)
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
async function copyDuplicates(staged: StagedFiles, missing: readonly Missing[]): Promise<number> {
  let copied = 0
  for (const { file } of missing) {
    if (file.copyOf === null) continue
    const from = { path: join(staged.folder, file.copyOf), at: 0, size: file.size }
    if (file.size === 0) await staged.writeEmpty(file)
    else if (await copyInto(staged, file, from, 0)) copied += file.size
  }
  return copied
}
