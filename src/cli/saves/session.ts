import { join } from 'node:path'

import { listSaveSlots, parseSaveFiles } from '../../domain/builds/save-files.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import type { Installed } from '../install/open.ts'
import { ask } from '../ui/prompt.ts'
import { locateSaves, type SaveFolder, saveSystem } from './folders.ts'
import { type SaveGame, type SavePaths, savePaths, type SaveState } from './state.ts'

export interface LocatedSlot {
  name: string
  folders: SaveFolder[]
  isSingle: boolean
}

/** An installed game with the saves that it has on this system. */
export interface SaveSession {
  name: string
  game: SaveGame
  build: string
  paths: SavePaths
  slots: LocatedSlot[]
}

/** Null if the game names no saves for this system. Throws where they could be anything else than saves. */
export function openSession({ machine }: Context, { folder, record }: Installed): SaveSession | null {
  const { saves, server, game } = record
  if (saves === undefined || saves === null) return null
  const faults: string[] = []
  const files = parseSaveFiles(saves, (path, message) =>
    faults.push(`${['saves', ...path].join('.')} ${message}`),
  )
  const [fault] = faults
  if (fault !== undefined)
    throw new CliError(
      'files',
      `The saves of ${game.name} are not synced, because its build describes them wrongly: ${fault}`,
    )
  const slots = listSaveSlots(files, saveSystem(machine.platform)).map(({ name, patterns, isSingle }) => ({
    name,
    isSingle,
    folders: patterns.map((pattern) => locateSaves(machine, folder, pattern)),
  }))
  if (slots.length === 0) return null
  const key = { server, uid: game.uid }
  return { name: game.name, game: key, build: record.build_id, paths: savePaths(machine, key), slots }
}

function describeFolders({ slots }: SaveSession): string[] {
  return slots.flatMap(({ name, folders }) =>
    folders.map(({ path, pattern }) => `${name}: ${join(path, ...pattern.rest)}`),
  )
}

/** Asks once for a game, and again when its saves are somewhere else. */
export async function requestConsent(
  { output, signal }: Context,
  session: SaveSession,
  state: SaveState,
  isYes: boolean,
): Promise<{ state: SaveState; isGiven: boolean }> {
  const { name, game } = session
  const lines = describeFolders(session)
  const folders = sha256Hex(JSON.stringify(lines))
  const known = state.consent?.folders === folders ? state.consent : null
  const decide = (isGiven: boolean) => ({ state: { ...state, consent: { folders, isGiven } }, isGiven })
  if (isYes) return decide(true)
  if (known?.isGiven) return { state, isGiven: true }
  if (known) {
    output.note(`Saves of ${name} are not kept in your account, as you decided; --yes changes that.`)
    return { state, isGiven: false }
  }
  if (!process.stdin.isTTY) {
    output.note(
      `Saves of ${name} are not kept in your account, because nobody has agreed to their folders on this machine yet. Use --yes, or start it once from a terminal.`,
    )
    return { state, isGiven: false }
  }
  // In the question, because notes are not shown with --quiet.
  const question = `${name} keeps its saves here: ${lines.join(', ')}. Keep them in your account at ${game.server}, for all your devices? yes or no`
  const answer = await ask(signal, question, 'no')
  return decide(/^y(?:es)?$/i.test(answer))
}
