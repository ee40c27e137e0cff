import { formatBytes, plural } from '../../lib/text/show.ts'
import { SHORT_MS } from '../api/retry.ts'
import { CliError, toCliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { tryLock } from '../install/lock.ts'
import type { Installed } from '../install/open.ts'
import { statePaths } from '../install/record.ts'
import { connectPlayer } from '../player/sign-in.ts'
import { ask } from '../ui/prompt.ts'
import { hasNoSaves, SavesApi } from './saves-api.ts'
import { openSession, requestConsent, type SaveSession } from './session.ts'
import { lockSaves, readSaveState, type SaveState, writeSaveState } from './state.ts'
import { finishInterruptedSave, type SaveChoice, type SlotResult, syncSaves } from './sync.ts'

export interface RunSavesOptions {
  /** False with --no-saves. */
  saves?: boolean
  yes?: boolean
  mine?: boolean
  theirs?: boolean
}

/** How long a game waits for its saves, and how long the command stays for them after it ended. */
const START_MS = 60_000
const END_MS = 10 * 60_000
/** A store that cannot be reached is not waited for as long as a slow one. */
const GIVE_UP_MS = 10_000

/** Sends what changed, once the game has ended. */
export type SendSaves = () => Promise<void>

/**
 * Brings newer saves before a game starts. Only a save that changed on both sides stops it, and what an interrupted
 * command left half in place; everything else is told, and the game starts with what is there.
 */
export async function fetchSaves(
  context: Context,
  installed: Installed,
  options: RunSavesOptions,
): Promise<SendSaves | null> {
  const { output } = context
  const choice = parseChoice(options)
  const session = await openOrWarn(context, installed)
  if (!session) return null
  using held = new DisposableStack()
  try {
    held.use(await lockSaves(context, session.paths))
  } catch (error) {
    // A machine without a folder for settings plays all the same.
    context.signal.throwIfAborted()
    return warn(context, session, error)
  }
  await finishInterruptedSave(context, session)
  if (options.saves === false) return null
  const deadline = new AbortController()
  const limited = { ...context, signal: AbortSignal.any([context.signal, deadline.signal]) }
  const connecting = connectSaves(limited, session, {
    isYes: options.yes ?? false,
    giveUpAfterMs: GIVE_UP_MS,
  })
  const api = await connecting.catch((error: unknown) => {
    context.signal.throwIfAborted()
    return warn(context, session, error)
  })
  if (!api) return null
  const startedWith = new Set<string>()
  const send = () => sendSaves(context, session, startedWith)
  using alone = await claimGame(installed)
  if (alone === null) {
    output.note(`${session.name} is running already: its saves stay as they are until it ends.`)
    return send
  }
  const steps = ['pull', 'push'] as const
  const timer = setTimeout(() => deadline.abort(), START_MS)
  try {
    let results = await syncSaves(limited, session, api, { steps, choice })
    clearTimeout(timer)
    const conflicts = results.filter(isConflict)
    if (conflicts.length > 0) {
      const asked = await requestChoice(context, session, conflicts)
      results = await syncSaves(context, session, api, { steps, choice: asked })
    }
    for (const { slot, hasFiles, step } of results) if (hasFiles || step === 'pull') startedWith.add(slot)
    reportResults(context, session, results)
    return send
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof CliError && error.exit === 'conflict') throw error
    if (hasNoSaves(error)) {
      const { message, hint } = toCliError(error)
      output.note(`Saves of ${session.name} are not kept in your account: ${message} ${hint ?? ''}`.trimEnd())
      return null
    }
    const late = new CliError('unreachable', `${session.game.server} did not answer within a minute.`)
    warn(context, session, deadline.signal.aborted ? late : error)
    output.note(`${session.name} starts with the saves that are here.`)
    return send
  } finally {
    clearTimeout(timer)
  }
}

export function parseChoice({ mine, theirs }: RunSavesOptions): SaveChoice | null {
  if (mine && theirs) throw new CliError('usage', 'Use --mine or --theirs, not both.')
  return mine ? 'mine' : theirs ? 'theirs' : null
}

async function openOrWarn(context: Context, installed: Installed): Promise<SaveSession | null> {
  try {
    return openSession(context, installed)
  } catch (error) {
    context.output.warn(toCliError(error).message)
    return null
  }
}

/** Null while the game runs: its files are not replaced under it. */
export async function claimGame({ folder }: Installed): Promise<Disposable | null> {
  const nothing = { [Symbol.dispose]: () => undefined }
  // A folder that cannot be written to has no locks.
  return await tryLock(statePaths(folder).running).catch(() => nothing)
}

interface ConnectOptions {
  isYes: boolean
  giveUpAfterMs: number
}

/** Null where the player is not signed in, or has not agreed; both are told. */
export async function connectSaves(
  context: Context,
  session: SaveSession,
  { isYes, giveUpAfterMs }: ConnectOptions,
): Promise<SavesApi | null> {
  const { output } = context
  const { paths, game, name } = session
  const player = await connectPlayer(context, game.server, { giveUpAfterMs })
  if (!player.isSignedIn) {
    output.note(
      `Saves of ${name} stay on this machine: "shelf signin --server ${game.server}" keeps them in your account.`,
    )
    return null
  }
  const before = await readSaveState(paths, game)
  const { state, isGiven } = await requestConsent(context, session, before, isYes)
  const next = isGiven ? ofAccount(state, player.account) : state
  if (next !== before) await writeSaveState(paths, next)
  return isGiven ? new SavesApi(player, game.uid, session.build) : null
}

/** What one account has says nothing about what another one has. */
function ofAccount(state: SaveState, account: string | null): SaveState {
  return state.account === account ? state : { ...state, account, slots: {}, kept: {} }
}

/** With a signal of its own: whoever ended the game by Ctrl-C wants to keep the save all the same. */
async function sendSaves(
  context: Context,
  session: SaveSession,
  startedWith: ReadonlySet<string>,
): Promise<void> {
  const own = { ...context, signal: AbortSignal.timeout(END_MS) }
  try {
    using held = new DisposableStack()
    held.use(await lockSaves(own, session.paths))
    const { game } = session
    const player = await connectPlayer(own, game.server, { giveUpAfterMs: SHORT_MS })
    const api = new SavesApi(player, game.uid, session.build)
    const results = await syncSaves(own, session, api, { steps: ['push'], choice: null, startedWith })
    reportResults(own, session, results)
    const conflicts = results.filter(isConflict)
    if (conflicts.length > 0) own.output.warn(describeConflict(session, conflicts))
    const isUnsent = results.some(({ step, error }) => step === 'failed' && error !== null)
    if (isUnsent) reportLater(own)
  } catch (error) {
    warn(own, session, error)
    reportLater(own)
  }
}

function reportLater({ output }: Context): void {
  output.note('Nothing is lost: the next "shelf run" sends it, or "shelf saves push" now.')
}

function warn({ output }: Context, { name }: SaveSession, error: unknown): null {
  const { message, hint } = toCliError(error)
  output.warn(`The saves of ${name} were not synced. ${message} ${hint ?? ''}`.trimEnd())
  return null
}

export function isConflict({ step, isDone }: SlotResult): boolean {
  return step === 'conflict' && !isDone
}

/** Tells what was done, and what failed. */
export function reportResults(
  { output }: Context,
  { name }: SaveSession,
  results: readonly SlotResult[],
): void {
  for (const { slot, step, isDone, remote, local, kept, error } of results) {
    if (error)
      output.warn(
        `The save ${slot} of ${name} was not synced. ${error.message} ${error.hint ?? ''}`.trimEnd(),
      )
    if (!isDone) continue
    if (kept !== null) output.note(`What was here before is kept in your account as revision ${kept}.`)
    if (step === 'pull') output.note(`Save ${slot}: fetched${describeSource(remote)}.`)
    if (step === 'push' && local)
      output.note(`Save ${slot}: sent, ${plural(local.files, 'file')}, ${formatBytes(local.size)}.`)
  }
}

function describeSource(remote: SlotResult['remote']): string {
  if (!remote) return ''
  return `, ${remote.device ? `written by ${remote.device} ` : ''}at ${remote.at}`
}

export function describeConflict({ name }: SaveSession, conflicts: readonly SlotResult[]): string {
  const lines = conflicts.map(({ slot, remote, local, kept }) => {
    const here = local ? `${plural(local.files, 'file')}, ${formatBytes(local.size)}` : 'nothing'
    const there = remote ? `${formatBytes(remote.size)}${describeSource(remote)}` : 'nothing'
    const both = kept === null ? '' : `; yours is kept as revision ${kept} too`
    return `  ${slot}: here ${here}; in your account ${there}${both}`
  })
  return `The saves of ${name} changed here and in your account. Nothing was overwritten.\n${lines.join('\n')}`
}

export function conflictError(session: SaveSession, conflicts: readonly SlotResult[]): CliError {
  return new CliError('conflict', describeConflict(session, conflicts), {
    hint: 'Choose with --mine (what is here) or --theirs (what is in your account); the other one stays in the history. --no-saves starts without choosing.',
  })
}

/** Asks in a terminal; ends with 10 without one. */
export async function requestChoice(
  { output, signal }: Context,
  session: SaveSession,
  conflicts: readonly SlotResult[],
): Promise<SaveChoice> {
  if (!process.stdin.isTTY) throw conflictError(session, conflicts)
  output.note(describeConflict(session, conflicts))
  const answer = (
    await ask(signal, 'Use mine (what is here) or theirs (what is in your account)?')
  ).toLowerCase()
  if (answer === 'mine' || answer === 'theirs') return answer
  throw conflictError(session, conflicts)
}
