import { mkdir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError, codeOf } from '../cli-error.ts'
import { syncFolder, writeDurably } from './durable.ts'
import type { InstallPlan } from './plan.ts'
import {
  type InstallRecord,
  isFolder,
  lookAt,
  parentsOf,
  readState,
  requireOwnNames,
  STATE_HINT,
  statePaths,
} from './record.ts'

/** `is_mine`: what is there now was changed or added by the player. */
const Removal = Type.Object({ path: Type.String(), is_mine: Type.Boolean() })

/** What is left to do once all new bytes are on the disk. Every step can be repeated. */
const Journal = Type.Object({
  format: Type.Literal(1),
  places: Type.Array(
    Type.Object({
      /** The name of a file in the folder of staged ones. */
      staged: Type.String({ pattern: String.raw`^\w[\w.-]{0,127}$` }),
      path: Type.String(),
      /** An old file whose name differs by case alone; some systems take both for one. */
      drop: Type.Union([Type.Null(), Removal]),
      is_mine: Type.Boolean(),
    }),
  ),
  removes: Type.Array(Removal),
})
type Journal = Static<typeof Journal>

/** `isMine` says whether the player changed or added what a path holds now. */
export function createJournal({ files, removed }: InstallPlan, isMine: (path: string) => boolean): Journal {
  const removals = new Map(removed.map(({ path }) => [fold(path), { path, is_mine: isMine(path) }]))
  const places = files.map(({ staged, path }) => {
    const drop = removals.get(fold(path)) ?? null
    removals.delete(fold(path))
    return { staged, path, drop, is_mine: isMine(path) }
  })
  return { format: 1, places, removes: [...removals.values()] }
}

/** Once the journal is written, the new version will be put in place, by this command or a later one. */
export async function writeJournal(
  folder: string,
  journal: Journal,
  { record, contents }: { record: InstallRecord; contents: Uint8Array },
): Promise<void> {
  const paths = statePaths(folder)
  await mkdir(paths.staged, { recursive: true })
  // Written before, so that putting in place needs no room on the disk.
  await writeDurably(paths.nextContents, contents)
  await writeDurably(paths.nextRecord, JSON.stringify(record))
  await writeDurably(paths.journal, JSON.stringify(journal))
}

async function readJournal(folder: string): Promise<Journal | null> {
  const { journal: path } = statePaths(folder)
  const content = await readState(path)
  if (content === null) return null
  if (!Value.Check(Journal, content)) throw new CliError('files', `${path} is damaged.`, { hint: STATE_HINT })
  const { places, removes } = content
  const dropped = places.flatMap(({ drop }) => drop ?? [])
  for (const files of [places, [...removes, ...dropped]])
    requireOwnNames(
      files.map((file) => file.path),
      folder,
      path,
      STATE_HINT,
    )
  return content
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

interface SwitchResult {
  /** What the player had changed or added, under its new names. */
  mine: string[]
}

const MINE = '.mine'
const MINE_MAX = 1000

/**
 * Puts the next version in place as its journal says; null if there is none. Only renames and deletes. Every step looks
 * at what is there, so a switch that was interrupted anywhere is finished by the same call. `onStep` is for tests.
 */
export async function finishSwitch(
  folder: string,
  onStep: (step: string) => void = () => undefined,
): Promise<SwitchResult | null> {
  const journal = await readJournal(folder)
  if (!journal) return null
  const mine: string[] = []
  const tree = new Tree(folder, mine, onStep)
  for (const { path, is_mine } of journal.removes) await tree.remove(path, is_mine)
  for (const place of journal.places) await tree.place(place)
  await tree.removeEmptyFolders(journal.removes.map(({ path }) => path))
  await tree.sync()
  await replaceState(folder, onStep)
  return { mine }
}

/** The record says what is installed from here on; without the journal there is nothing left to finish. */
async function replaceState(folder: string, onStep: (step: string) => void): Promise<void> {
  const paths = statePaths(folder)
  for (const [from, to] of [
    [paths.nextContents, paths.contents],
    [paths.nextRecord, paths.record],
  ] as const) {
    onStep(`replace ${to}`)
    await unlessMissing(rename(from, to))
  }
  await syncFolder(paths.state)
  onStep('remove the journal')
  await unlink(paths.journal)
  await syncFolder(paths.next)
  onStep('remove the rest')
  await rm(paths.next, { recursive: true, force: true })
}

/** The files of the game. Nothing is done through a link, which could lead out of the folder. */
class Tree {
  readonly #changed = new Set<string>()

  constructor(
    private readonly folder: string,
    private readonly mine: string[],
    private readonly onStep: (step: string) => void,
  ) {}

  async remove(path: string, isMine: boolean): Promise<void> {
    const target = await this.#find(path)
    if (target === null || (await isFolder(target))) return
    if (isMine) return await this.#moveAside(path)
    this.onStep(`remove ${path}`)
    await unlink(target)
    this.#changed.add(dirname(target))
  }

  async place({ staged, path, drop, is_mine }: Journal['places'][number]): Promise<void> {
    const source = join(statePaths(this.folder).staged, staged)
    const found = await lookAt(source)
    // It is in place already.
    if (found === null) return
    if (!found.isFile())
      throw new CliError('files', `${source} is not a file of shelf.`, { hint: STATE_HINT })
    if (drop !== null) await this.remove(drop.path, drop.is_mine)
    await this.#makeParents(path)
    const target = join(this.folder, path)
    const present = await lookAt(target)
    if (present && (is_mine || !present.isFile())) await this.#clear(path)
    this.onStep(`place ${path}`)
    await rename(source, target)
    this.#changed.add(dirname(target))
  }

  /** The folders of removed files, from the innermost on. */
  async removeEmptyFolders(paths: readonly string[]): Promise<void> {
    const folders = new Set(paths.flatMap((path) => parentsOf(path)))
    for (const path of [...folders].sort((a, b) => b.length - a.length)) {
      const target = await this.#find(path)
      if (target === null || !(await isFolder(target))) continue
      if (await removeIfEmpty(target)) this.onStep(`remove ${path}/`)
    }
  }

  async sync(): Promise<void> {
    for (const path of this.#changed) await unlessMissing(syncFolder(path))
  }

  /** Null for what is not there, or only through a link. */
  async #find(path: string): Promise<string | null> {
    for (const parent of parentsOf(path)) {
      const target = join(this.folder, parent)
      if (!(await isFolder(target))) return null
    }
    const target = join(this.folder, path)
    return (await lookAt(target)) ? target : null
  }

  async #makeParents(path: string): Promise<void> {
    for (const parent of parentsOf(path)) {
      const target = join(this.folder, parent)
      const present = await lookAt(target)
      if (present?.isDirectory()) continue
      if (present) await this.#moveAside(parent)
      this.onStep(`create ${parent}/`)
      await mkdir(target, { recursive: true })
      this.#changed.add(dirname(target))
    }
  }

  /** Empty folders that an older version left are no loss. */
  async #clear(path: string): Promise<void> {
    const target = join(this.folder, path)
    if ((await isFolder(target)) && (await removeIfEmpty(target))) return
    await this.#moveAside(path)
  }

  async #moveAside(path: string): Promise<void> {
    for (let count = 1; count <= MINE_MAX; count += 1) {
      const name = `${path}${MINE}${count === 1 ? '' : `.${count}`}`
      if (await lookAt(join(this.folder, name))) continue
      this.onStep(`keep ${name}`)
      await rename(join(this.folder, path), join(this.folder, name))
      this.#changed.add(dirname(join(this.folder, path)))
      this.mine.push(name)
      return
    }
    throw new Error(`There are too many files called ${path}${MINE}`)
  }
}

async function removeIfEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(String(codeOf(error)))) return false
    throw error
  }
}
