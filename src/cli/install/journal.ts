import { mkdir } from 'node:fs/promises'

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { CliError } from '../cli-error.ts'
import { writeDurably } from './durable.ts'
import type { InstallPlan } from './plan.ts'
import { type InstallRecord, readState, requireOwnNames, STATE_HINT, statePaths } from './record.ts'

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
export type Journal = Static<typeof Journal>

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

/** From here on the new version is put in place, whatever happens. */
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

export async function readJournal(folder: string): Promise<Journal | null> {
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
