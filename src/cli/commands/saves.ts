import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { formatBytes } from '../../lib/text/show.ts'
import { SHORT_MS } from '../api/retry.ts'
import { CliError, codeOf } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { findInstalled, type Installed, listInstalled } from '../install/open.ts'
import { parseGameRef } from '../player/player-api.ts'
import { connectPlayer, findServer } from '../player/sign-in.ts'
import {
  claimGame,
  conflictError,
  connectSaves,
  isConflict,
  parseChoice,
  reportResults,
  requestChoice,
  type RunSavesOptions,
} from '../saves/run-saves.ts'
import { type AccountSave, SavesApi } from '../saves/saves-api.ts'
import { openSession, type SaveSession } from '../saves/session.ts'
import { lockSaves } from '../saves/state.ts'
import { finishInterruptedSave, type SlotResult, syncSaves } from '../saves/sync.ts'
import { formatTable } from '../ui/progress.ts'

export const SAVE_ACTIONS = ['list', 'pull', 'push', 'history', 'restore', 'export'] as const
export type SaveAction = (typeof SAVE_ACTIONS)[number]

interface SavesOptions extends RunSavesOptions {
  server?: string
  revision?: string
}

interface SavesRequest {
  game: string
  slot: string | undefined
  /** A revision to restore, or a file to write. */
  what: string | undefined
  options: SavesOptions
}

/** The saves of a game in the player's account, by hand. */
export async function saves(context: Context, action: SaveAction, request: SavesRequest): Promise<void> {
  if (action === 'pull' || action === 'push') return await sync(context, action, request)
  if (action === 'list') return await list(context, request)
  if (action === 'history') return await history(context, request)
  if (action === 'restore') return await restore(context, request)
  await exportSave(context, request)
}

/** What was found of an installation; null where the game is not installed here. */
async function findHere(context: Context, text: string): Promise<Installed | null> {
  const { server, game } = parseGameRef(text)
  const installed = await listInstalled(context)
  const isHere = installed.some(({ folder, record }) =>
    [record.game.uid, record.game.vanity_name].includes(game.toLowerCase())
      ? server === null || record.server === server
      : folder === resolve(context.cwd, text),
  )
  return isHere ? await findInstalled(context, text) : null
}

/** For what needs no installation. */
async function connect(context: Context, { game: text, options }: SavesRequest): Promise<SavesApi> {
  const here = await findHere(context, text)
  const ref = parseGameRef(text)
  const server = here?.record.server ?? (await findServer(context, options.server ?? ref.server))
  const player = await connectPlayer(context, server, { giveUpAfterMs: SHORT_MS, flag: options.server })
  return new SavesApi(player, here?.record.game.uid ?? ref.game)
}

async function list(context: Context, request: SavesRequest): Promise<void> {
  const { output } = context
  const { slots, quota } = await (await connect(context, request)).list()
  const rows = slots.map(({ slot, size, device, at, revision }) => [
    slot,
    formatBytes(size),
    device ?? '',
    at,
    revision,
  ])
  output.result(
    rows.length === 0
      ? 'There are no saves of this game in your account.'
      : formatTable(['SAVE', 'SIZE', 'DEVICE', 'WRITTEN', 'REVISION'], rows),
  )
  output.result(`${formatBytes(quota.used)} of ${formatBytes(quota.limit)} are used.`)
  output.json({ slots, quota })
}

/** Named, or the only one. */
async function requireSlot(api: SavesApi, named: string | undefined): Promise<AccountSave> {
  const { slots } = await api.list()
  const [only] = slots
  const found = named === undefined ? slots.length === 1 && only : slots.find(({ slot }) => slot === named)
  if (found) return found
  const hint = slots.length === 0 ? undefined : `There is: ${slots.map(({ slot }) => slot).join(', ')}.`
  const message =
    slots.length === 0
      ? 'There are no saves of this game in your account.'
      : named === undefined
        ? 'The game has several saves. Name one of them.'
        : `There is no save "${named}" in your account.`
  throw new CliError('usage', message, { hint })
}

async function history(context: Context, request: SavesRequest): Promise<void> {
  const { output } = context
  const api = await connect(context, request)
  const { slot, revision: current } = await requireSlot(api, request.slot)
  const revisions = await api.listRevisions(slot)
  const rows = revisions.map(({ revision, size, device, at, note, refused }) => [
    revision,
    at,
    formatBytes(size),
    device ?? '',
    revision === current ? 'current' : refused ? 'kept beside' : '',
    note ?? '',
  ])
  output.result(formatTable(['REVISION', 'WRITTEN', 'SIZE', 'DEVICE', '', 'NOTE'], rows))
  output.json({ slot, current, revisions })
}

async function restore(context: Context, request: SavesRequest): Promise<void> {
  const { output } = context
  const { slot, what: revision, game } = request
  if (slot === undefined || revision === undefined)
    throw new CliError('usage', 'Name the save and the revision.', {
      hint: `See "shelf saves history ${game}".`,
    })
  await (await connect(context, request)).restore(slot, revision)
  output.result(
    `${slot} is revision ${revision} again. "shelf run" brings it here, or "shelf saves pull ${game}" now.`,
  )
  output.json({ slot, restored: revision })
}

/** Never overwrites a file. */
async function exportSave(context: Context, request: SavesRequest): Promise<void> {
  const { output, cwd } = context
  const { what, options } = request
  const api = await connect(context, request)
  const current = await requireSlot(api, request.slot)
  const { slot } = current
  const revision =
    options.revision === undefined
      ? current
      : (await api.listRevisions(slot)).find((one) => one.revision === options.revision)
  if (!revision) throw new CliError('usage', `There is no revision ${options.revision} of ${slot}.`)
  const bytes = await api.read(slot, revision)
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
  const file = resolve(cwd, what ?? (isZip && !/\.zip$/i.test(slot) ? `${slot}.zip` : slot))
  await writeFile(file, bytes, { flag: 'wx' }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
    throw new CliError('files', `${file} is there already.`, { hint: 'Name another file.' })
  })
  output.result(`${file}: ${formatBytes(bytes.length)}`)
  output.json({ slot, revision: revision.revision, file, size: bytes.length, sha256: revision.sha256 })
}

async function sync(context: Context, step: 'pull' | 'push', request: SavesRequest): Promise<void> {
  const { options } = request
  const choice = parseChoice(options)
  const installed = await findInstalled(context, request.game)
  const { name } = installed.record.game
  const session = openSession(context, installed)
  if (!session) throw new CliError('usage', `${name} names no saves for this system.`)
  if (request.slot !== undefined && !session.slots.some((slot) => slot.name === request.slot)) {
    const there = session.slots.map((slot) => slot.name).join(', ')
    throw new CliError('usage', `${name} has no save "${request.slot}" on this system.`, {
      hint: `There is: ${there}.`,
    })
  }
  using held = new DisposableStack()
  held.use(await lockSaves(context, session.paths))
  using alone = await claimGame(installed)
  if (alone === null && (step === 'pull' || choice === 'theirs'))
    throw new CliError('files', `${name} is running.`, { hint: 'Close it and run the same command again.' })
  if (alone !== null) await finishInterruptedSave(context, session)
  const api = await connectSaves(context, session, { isYes: options.yes ?? false, giveUpAfterMs: SHORT_MS })
  if (!api) throw new CliError('usage', 'Nothing was synced.')
  const one = { steps: [step], slot: request.slot } as const
  let results = await syncSaves(context, session, api, { ...one, choice })
  const conflicts = results.filter(isConflict)
  if (conflicts.length > 0) {
    const asked = await requestChoice(context, session, conflicts)
    if (alone === null && asked === 'theirs') throw conflictError(session, conflicts)
    results = await syncSaves(context, session, api, { ...one, choice: asked })
  }
  finish(context, session, results)
}

function finish(context: Context, session: SaveSession, results: readonly SlotResult[]): void {
  const { output } = context
  const failed = results.filter(({ error }) => error !== null)
  const [first] = failed
  if (first?.error && failed.length === 1) throw first.error
  reportResults(context, session, results)
  if (first?.error) throw new CliError(first.error.exit, `${failed.length} saves could not be synced.`)
  const done = results.filter(({ isDone }) => isDone)
  for (const { slot, step } of results.filter(({ isDone }) => !isDone)) {
    if (step === 'pull')
      output.result(`${slot}: your account has a newer one; "shelf saves pull" fetches it.`)
    if (step === 'push') output.result(`${slot}: it changed here; "shelf saves push" sends it.`)
  }
  if (done.length === 0) output.result('Nothing was to do.')
  for (const { slot, step } of done) output.result(`${slot}: ${step === 'pull' ? 'fetched' : 'sent'}.`)
  output.json({
    saves: results.map(({ slot, step, isDone, kept, remote, local }) => ({
      slot,
      step,
      done: isDone,
      kept,
      revision: remote?.revision ?? null,
      files: local?.files ?? 0,
    })),
  })
}
