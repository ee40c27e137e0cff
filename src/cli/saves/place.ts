import { mkdir, open, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'

import { fold, matchesSave } from '../../domain/builds/save-patterns.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError, codeOf } from '../cli-error.ts'
import { syncFolder, writeAll, writeDurably } from '../install/durable.ts'
import { findUnfitNames, lookAt, parentsOf, STATE_FOLDER } from '../install/record.ts'
import { readOwnFile } from '../settings/own-file.ts'
import type { SavedFile } from './archive.ts'
import { isSame, listSaveFiles, type LocalSave } from './collect.ts'
import { hasFolder, INCOMING, type SaveFolder } from './folders.ts'
import type { SyncedSave } from './plan.ts'
import { damaged, type SavePaths } from './state.ts'

/** What is left to do once all new bytes are on the disk. Every step can be repeated. */
const SaveJournal = Type.Object({
  format: Type.Literal(1),
  slot: Type.String(),
  synced: Type.Object({ revision: Type.String(), sha256: Type.Union([Type.Null(), Type.String()]) }),
  folders: Type.Array(
    Type.Object({
      root: Type.String(),
      path: Type.String(),
      places: Type.Array(Type.Object({ staged: Type.Integer({ minimum: 0 }), at: Type.String() })),
      removes: Type.Array(Type.String()),
    }),
  ),
})
type SaveJournal = Static<typeof SaveJournal>
type Folder = SaveJournal['folders'][number]

interface Placement {
  slot: string
  /** Of the slot on this machine. */
  folders: readonly SaveFolder[]
  isSingle: boolean
  /** What is there now; null for nothing. */
  local: LocalSave | null
  next: readonly SavedFile[]
  synced: SyncedSave
}

const SYNCS_AT_ONCE = 16

/**
 * Writes the files of a revision beside those that they replace, then the journal. From there on the new save will be in
 * place: `finishSave` does it, in this command or a later one.
 */
export async function stageSave(
  paths: SavePaths,
  placement: Placement,
  platform: NodeJS.Platform,
): Promise<void> {
  const { folders, local, next, slot, synced, isSingle } = placement
  const plan = planPlaces({ folders, local, next, isSingle }, platform)
  for (const { target, folder } of plan) {
    await hasFolder(target)
    for (const { at } of folder.places) await requireFree(folder.path, at)
  }
  try {
    for (const { target, files } of plan) await writeStaged(target, files)
    // A game that was started meanwhile, without shelf, may have written.
    const { files } = await listSaveFiles(folders)
    if (!isSame(local?.files ?? [], files))
      throw new CliError('files', 'The save changed while the newer one was fetched. Nothing was replaced.', {
        hint: 'Close the game and run the same command again.',
      })
    await mkdir(paths.folder, { recursive: true, mode: 0o700 })
    const journal = { format: 1, slot, synced, folders: plan.map(({ folder }) => folder) }
    await writeDurably(paths.journal, JSON.stringify(journal))
  } catch (error) {
    for (const { target } of plan) await removeStaged(target.path)
    throw error
  }
}

interface FolderPlan {
  target: SaveFolder
  files: { staged: number; bytes: Uint8Array }[]
  folder: Folder
}

/** Only what differs is written, so that files that stay keep their times. */
function planPlaces(
  { folders, local, next, isSingle }: Pick<Placement, 'folders' | 'local' | 'next' | 'isSingle'>,
  platform: NodeJS.Platform,
): FolderPlan[] {
  const plans = new Map<string, FolderPlan>()
  const planOf = (target: SaveFolder): FolderPlan => {
    const known = plans.get(target.path)
    if (known) return known
    const folder = { root: target.root, path: target.path, places: [], removes: [] }
    const plan = { target, files: [], folder }
    plans.set(target.path, plan)
    return plan
  }
  const present = new Map((local?.files ?? []).map((file) => [file.path, file]))
  for (const { path, bytes } of next) {
    if (path.split('/').some((part) => fold(part) === INCOMING || fold(part) === STATE_FOLDER))
      throw new CliError('refused', `The save in your account has a file that belongs to shelf: ${path}.`)
    const target = folders.find(({ pattern }) => isSingle || matchesSave(pattern, path))
    if (!target)
      throw new CliError(
        'files',
        `The save in your account has a file that this version of the game does not name: ${path}.`,
        {
          hint: 'Update the game with "shelf update", then try again. Nothing was changed.',
        },
      )
    const at = isSingle ? (target.pattern.rest[0] ?? path) : path
    const old = present.get(isSingle ? at : path)
    present.delete(isSingle ? at : path)
    if (old?.sha256 === sha256Hex(bytes)) continue
    const plan = planOf(target)
    const staged = plan.files.length
    plan.files.push({ staged, bytes })
    plan.folder.places.push({ staged, at: old?.at ?? at })
  }
  for (const { folder, at } of present.values()) planOf(folder).folder.removes.push(at)
  for (const { folder } of plans.values()) requireFit(folder, platform)
  return [...plans.values()]
}

function requireFit({ path, places }: Folder, platform: NodeJS.Platform): void {
  const [fault] = findUnfitNames(
    places.map(({ at }) => at),
    path,
    platform,
  )
  if (fault !== undefined)
    throw new CliError('files', `This system cannot hold the save: ${fault}`, {
      hint: 'Nothing was changed.',
    })
}

async function writeStaged(target: SaveFolder, files: FolderPlan['files']): Promise<void> {
  await mkdir(target.path, { recursive: true })
  await removeStaged(target.path)
  const folder = join(target.path, INCOMING)
  await mkdir(folder)
  const waiting = [...files]
  const work = async () => {
    for (let file = waiting.pop(); file; file = waiting.pop()) {
      await using handle = await open(join(folder, String(file.staged)), 'wx')
      await writeAll(handle, file.bytes)
      await handle.datasync()
    }
  }
  // All of them end before what they wrote is removed again.
  const ended = await Promise.allSettled(Array.from({ length: SYNCS_AT_ONCE }, work))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  await syncFolder(folder)
}

/** What an interrupted command wrote beside the save. */
export async function removeStaged(path: string): Promise<void> {
  await rm(join(path, INCOMING), { recursive: true, force: true }).catch(() => undefined)
}

/** Puts a staged save in place and returns what it is; null if there is none. `onStep` is for tests. */
export async function finishSave(
  { journal: path }: SavePaths,
  onDone: (slot: string, synced: SyncedSave) => Promise<void>,
  onStep: (step: string) => void = () => undefined,
): Promise<string | null> {
  const journal = await readOwnFile(path, SaveJournal, () => damaged(path))
  if (!journal) return null
  for (const folder of journal.folders) {
    const names = [...folder.places.map(({ at }) => at), ...folder.removes]
    if (findUnfitNames(new Set(names), folder.path).length > 0) throw damaged(path)
    await switchFolder(folder, onStep)
  }
  onStep('remember')
  await onDone(journal.slot, journal.synced)
  for (const folder of journal.folders) await removeStaged(folder.path)
  onStep('remove the journal')
  await unlink(path)
  return journal.slot
}

async function switchFolder(folder: Folder, onStep: (step: string) => void): Promise<void> {
  const changed = new Set<string>()
  const isThere = await hasFolder(folder)
  if (!isThere) return
  for (const at of folder.removes) {
    const target = join(folder.path, at)
    if (!(await isPlainWay(folder.path, at)) || (await lookAt(target))?.isDirectory()) continue
    onStep(`remove ${at}`)
    await unlessMissing(unlink(target))
    changed.add(dirname(target))
  }
  for (const { staged, at } of folder.places) {
    const source = join(folder.path, INCOMING, String(staged))
    // It is in place already.
    if (!(await lookAt(source))?.isFile()) continue
    const target = join(folder.path, at)
    await requireFree(folder.path, at)
    await mkdir(dirname(target), { recursive: true })
    onStep(`place ${at}`)
    await rename(source, target)
    changed.add(dirname(target))
  }
  await removeEmptyFolders(folder)
  for (const path of changed) await unlessMissing(syncFolder(path))
}

async function requireFree(folder: string, at: string): Promise<void> {
  const target = join(folder, at)
  const found = await lookAt(target)
  if ((await isPlainWay(folder, at)) && (found === null || found.isFile())) return
  throw new CliError('files', `Something else is in the way of the save: ${target}.`, {
    hint: 'Move it away, then run the same command again.',
  })
}

/** Nothing is written through a link. */
async function isPlainWay(folder: string, at: string): Promise<boolean> {
  for (const parent of parentsOf(at)) {
    const found = await lookAt(join(folder, parent))
    if (found && !found.isDirectory()) return false
  }
  return true
}

async function removeEmptyFolders({ path, removes }: Folder): Promise<void> {
  const folders = new Set(removes.flatMap(parentsOf))
  for (const at of [...folders].sort((one, other) => other.length - one.length)) {
    if (!(await lookAt(join(path, at)))?.isDirectory() || !(await isPlainWay(path, at))) continue
    await rmdir(join(path, at)).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(String(codeOf(error)))) throw error
    })
  }
}
