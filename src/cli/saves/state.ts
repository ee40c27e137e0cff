import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { writeDurably } from '../install/durable.ts'
import { lock } from '../install/lock.ts'
import { readOwnFile } from '../settings/own-file.ts'
import { configFolder, type Machine } from '../settings/settings.ts'

const Slot = Type.Object({
  revision: Type.String(),
  sha256: Type.Union([Type.Null(), Type.String()]),
})

/** What shelf remembers of the saves of one game. */
const SaveState = Type.Object({
  format: Type.Literal(1),
  server: Type.String(),
  game: Type.String(),
  /** The account that the slots were the same with; another one on this machine starts anew. */
  account: Type.Union([Type.Null(), Type.String()]),
  /** What the player said, and to which folders. */
  consent: Type.Union([Type.Null(), Type.Object({ folders: Type.String(), isGiven: Type.Boolean() })]),
  slots: Type.Record(Type.String(), Slot),
  /** Saves that the account keeps beside its own since both changed, by slot, so that each is sent once. */
  kept: Type.Record(Type.String(), Slot),
})
export type SaveState = Static<typeof SaveState>

/** A game of a store. */
export interface SaveGame {
  server: string
  uid: string
}

export interface SavePaths {
  folder: string
  state: string
  journal: string
  lock: string
}

export function savePaths(machine: Machine, { server, uid }: SaveGame): SavePaths {
  const folder = join(configFolder(machine), 'saves')
  const base = join(folder, sha256Hex(JSON.stringify([server, uid])).slice(0, 32))
  return { folder, state: `${base}.json`, journal: `${base}.journal.json`, lock: `${base}.lock` }
}

export async function readSaveState({ state: path }: SavePaths, game: SaveGame): Promise<SaveState> {
  const state = await readOwnFile(path, SaveState, () => damaged(path))
  if (state) return state
  const { server, uid } = game
  return { format: 1, server, game: uid, account: null, consent: null, slots: {}, kept: {} }
}

export async function writeSaveState({ folder, state: path }: SavePaths, state: SaveState): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeDurably(path, `${JSON.stringify(state, null, 2)}\n`)
}

export function damaged(path: string): CliError {
  return new CliError('files', `${path} is damaged.`, {
    hint: 'Remove it, then run the same command again: saves that differ are asked about.',
  })
}

/** Commands for the same game at the same time take turns. */
export async function lockSaves(
  { output, signal }: Context,
  { folder, lock: path }: SavePaths,
): Promise<Disposable> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const onWait = () => output.note('Another command works on these saves. Waiting until it is done.')
  return await lock(path, { signal, onWait })
}
