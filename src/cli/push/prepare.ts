import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import { plural } from '../../lib/text/show.ts'
import { CliError } from '../cli-error.ts'
import { findNameFaults } from '../install/record.ts'
import { openListedFiles, readFileList, requireListed } from '../pack/file-list.ts'
import { listFiles, type PackFile, statFile } from '../pack/list-files.ts'
import { packFiles } from '../pack/pack.ts'
import { requireUnchanged } from '../pack/read-blocks.ts'
import { readZipEntries } from '../pack/zip-entries.ts'
import type { Output } from '../ui/output.ts'
import type { PushCache, PushState } from './cache.ts'
import type { PlannedBuild } from './plan.ts'
import { FileChecksum, type PlacedEntry } from './segments.ts'

/** The zip of a build, ready to be sent. */
export interface PreparedZip extends AsyncDisposable {
  handle: FileHandle
  readonly state: Readonly<PushState>
  /** Reads the whole file, unless its checksum is known. */
  readChecksum(): Promise<string>
  /** The session of other bytes, left by an interrupted push. */
  staleSession: string | null
  /** Whether the zip was made here; headers of other zips may differ for the same files. */
  isPacked: boolean
  /** Places of the files in the zip, to find them in an earlier one. */
  readEntries(): Promise<PlacedEntry[]>
  /** Throws if a zip that is sent as it is changed meanwhile. */
  requireUnchanged(): Promise<void>
}

interface PrepareOptions {
  output: Output
  signal: AbortSignal
}

const FORMAT = 2
const WARNINGS_MAX = 10

/** Packs the folder, unless nothing changed since last time. A given zip is not read yet. */
export async function prepareZip(
  build: PlannedBuild,
  cache: PushCache,
  options: PrepareOptions,
): Promise<PreparedZip> {
  const files = await listBuild(build, options.output)
  await cache.prepare()
  const fingerprint = describeFiles(files, build)
  const known = await cache.read()
  const isKnown = known?.fingerprint === fingerprint && (build.isZip || (await cache.hasZip(known)))
  const packed = isKnown
    ? known
    : await (build.isZip ? describeZip : packFolder)(build, files, cache, options)
  const state = { ...packed, fingerprint }
  if (build.fileList !== null) await requireListedFiles(build.fileList, state, cache)
  if (!isKnown) await cache.write(state)
  const [zip] = files
  const handle = await open(build.isZip ? build.path : cache.zipPath, 'r')
  return {
    handle,
    state,
    isPacked: !build.isZip,
    staleSession: isKnown ? null : (known?.session?.id ?? null),
    readChecksum: async () => {
      if (state.checksum !== null) return state.checksum
      const checksum = await hashZip(build, handle, state.size, options)
      if (zip) await requireUnchanged(handle, zip)
      state.checksum = checksum
      await cache.write(state)
      return checksum
    },
    readEntries: async () => (build.isZip ? await readZipEntries(handle, state.size) : state.entries),
    requireUnchanged: async () => {
      if (build.isZip && zip) await requireUnchanged(handle, zip)
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** What would be packed; for a zip, itself. */
export async function listBuild(
  { isZip, path, fileList, includeSecrets }: PlannedBuild,
  output: Output,
): Promise<PackFile[]> {
  if (isZip) return [await statFile(path, basename(path))]
  const files =
    fileList === null
      ? (await listPacked(path, includeSecrets, output)).found
      : await openListedFiles(path, await readFileList(fileList))
  if (files.some(({ isFolder }) => !isFolder)) return files
  throw new CliError('files', `${path} has no files to pack.`)
}

/** Lists a folder, and reports what is left out because it may hold secrets. */
export async function listPacked(
  path: string,
  includeSecrets: boolean,
  output: Output,
): Promise<{ found: PackFile[]; leftOut: string[] }> {
  const leftOut: string[] = []
  const found = await listFiles(path, { includeSecrets, onSecret: (name) => void leftOut.push(name) })
  for (const name of leftOut.slice(0, WARNINGS_MAX))
    output.warn(`${name} was left out: it may hold secrets. Use --include-secrets to pack it.`)
  if (leftOut.length > WARNINGS_MAX) output.warn(`${leftOut.length - WARNINGS_MAX} more were left out.`)
  return { found, leftOut }
}

async function packFolder(
  build: PlannedBuild,
  files: readonly PackFile[],
  cache: PushCache,
  { output, signal }: PrepareOptions,
): Promise<PushState> {
  warnOfNames(files, output)
  const count = files.filter(({ isFolder }) => !isFolder).length
  const total = files.reduce((sum, { size }) => sum + size, 0)
  // The old zip goes first, so that there is never more than one copy.
  await rm(cache.zipPath, { force: true })
  try {
    using phase = output.phase('packing', `${build.name} (${plural(count, 'file')})`, total)
    const zip = await packFiles(files, cache.draftPath, {
      hashesWhole: build.fileList !== null,
      signal,
      onBytes: phase.advance,
    })
    await rename(cache.draftPath, cache.zipPath)
    return { version: FORMAT, fingerprint: '', ...zip, session: null }
  } catch (error) {
    await cache.remove()
    throw error
  }
}

async function requireListedFiles(fileList: string, { entries }: PushState, cache: PushCache): Promise<void> {
  try {
    const found = entries.map(({ sha256, ...file }) => ({ ...file, sha256: sha256 ?? '' }))
    requireListed(await readFileList(fileList), found)
  } catch (error) {
    await cache.remove()
    throw error
  }
}

async function describeZip(_: PlannedBuild, [zip]: readonly PackFile[]): Promise<PushState> {
  if (!zip) throw new Error('A zip is one file')
  return { version: FORMAT, fingerprint: '', size: zip.size, checksum: null, entries: [], session: null }
}

async function hashZip(
  { name }: PlannedBuild,
  handle: FileHandle,
  size: number,
  { output, signal }: PrepareOptions,
): Promise<string> {
  using phase = output.phase('reading', name, size)
  const checksum = new FileChecksum()
  await checksum.readTo(size, handle, { signal, onBytes: phase.advance })
  return checksum.digest()
}

function describeFiles(files: readonly PackFile[], { fileList }: PlannedBuild): string {
  const lines = files.map(({ path, source, size, modifiedAt, isExecutable }) =>
    JSON.stringify([path, source, size, String(modifiedAt), isExecutable]),
  )
  return sha256Hex([`format ${FORMAT}${fileList === null ? '' : ' listed'}`, ...lines].join('\n'))
}

function warnOfNames(files: readonly PackFile[], output: Output): void {
  const faults = findNameFaults(files.map(({ path }) => path))
  for (const fault of faults.slice(0, WARNINGS_MAX)) output.warn(fault)
  if (faults.length > WARNINGS_MAX) output.warn(`${faults.length - WARNINGS_MAX} more names like these.`)
}
