import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import { formatBytes } from '../../lib/text/show.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import { CliError, toCliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { toInstallError } from '../install/disk-room.ts'
import { packSave, type SavedFile, unpackSave } from './archive.ts'
import { collectSave, type LocalSave } from './collect.ts'
import { hasFolder } from './folders.ts'
import { finishSave, removeStaged, stageSave } from './place.ts'
import { planSave, type SaveStep, type SyncedSave } from './plan.ts'
import type { AccountSave, SavesApi } from './saves-api.ts'
import type { LocatedSlot, SaveSession } from './session.ts'
import { readSaveState, type SaveState, writeSaveState } from './state.ts'

/** Of the history, to find out whether the save here is an older one. */
const REVISIONS_LOOKED_AT = 200

/** Which save counts where both changed. */
export type SaveChoice = 'mine' | 'theirs'

export interface SyncOptions {
  /** The steps that are taken; others are only told. */
  steps: readonly ('pull' | 'push')[]
  choice: SaveChoice | null
  /** All unless given. */
  slot?: string | undefined
  /** Slots that had files when the game started: if it deleted all of them, that is what is sent. */
  startedWith?: ReadonlySet<string>
}

export interface SlotResult {
  slot: string
  step: SaveStep | 'failed'
  /** Whether the step was taken. */
  isDone: boolean
  hasFiles: boolean
  remote: AccountSave | null
  local: { size: number; files: number } | null
  /** The revision that keeps what was here, after a conflict. */
  kept: string | null
  error: CliError | null
}

/** Compares every slot with the account and does what is to do. The caller holds the lock of the saves. */
export async function syncSaves(
  context: Context,
  session: SaveSession,
  api: SavesApi,
  options: SyncOptions,
): Promise<SlotResult[]> {
  const { slots } = await api.list()
  const remotes = new Map(slots.map((save) => [save.slot.normalize('NFC'), save]))
  const results: SlotResult[] = []
  for (const slot of session.slots) {
    if (options.slot !== undefined && options.slot !== slot.name) continue
    const remote = remotes.get(slot.name.normalize('NFC')) ?? null
    const one = new SlotSync(context, session, api, slot, options)
    try {
      results.push(await one.run(remote))
    } catch (error) {
      context.signal.throwIfAborted()
      results.push({ ...one.describe('failed', remote), error: toSaveError(error, slot) })
    }
  }
  return results
}

function toSaveError(error: unknown, { folders }: LocatedSlot): CliError {
  if (error instanceof CliError) return error
  const failure = toCliError(toInstallError(error, folders[0]?.path ?? ''))
  const { exit, message } = failure
  return new CliError(exit, message, {
    hint: 'The save here is unchanged. Run the same command again.',
    cause: error,
  })
}

/** Puts in place what an interrupted command had fetched. The caller holds the lock of the saves. */
export async function finishInterruptedSave(
  { output }: Context,
  { paths, game, slots }: SaveSession,
): Promise<void> {
  const slot = await finishSave(paths, (name, synced) => remember(paths, game, name, synced))
  if (slot !== null)
    output.note(`The save ${slot}, which an interrupted command had fetched, was put in place.`)
  for (const folder of slots.flatMap(({ folders }) => folders))
    if (await hasFolder(folder).catch(() => false)) await removeStaged(folder.path)
}

async function remember(
  paths: SaveSession['paths'],
  game: SaveSession['game'],
  slot: string,
  synced: SyncedSave,
): Promise<void> {
  const state = await readSaveState(paths, game)
  const kept = Object.fromEntries(Object.entries(state.kept).filter(([name]) => name !== slot))
  await writeSaveState(paths, { ...state, slots: { ...state.slots, [slot]: synced }, kept })
}

class SlotSync {
  #local: LocalSave | null = null

  constructor(
    private readonly context: Context,
    private readonly session: SaveSession,
    private readonly api: SavesApi,
    private readonly slot: LocatedSlot,
    private readonly options: SyncOptions,
  ) {}

  describe(step: SlotResult['step'], remote: AccountSave | null, more: Partial<SlotResult> = {}): SlotResult {
    const local = this.#local
    return {
      slot: this.slot.name,
      step,
      isDone: false,
      hasFiles: (local?.files.length ?? 0) > 0,
      remote,
      local: local && { size: local.bytes.length, files: local.files.length },
      kept: null,
      error: null,
      ...more,
    }
  }

  async run(remote: AccountSave | null): Promise<SlotResult> {
    const { context, slot, options } = this
    const { save, links } = await collectSave(slot.folders, {
      isSingle: slot.isSingle,
      signal: context.signal,
    })
    for (const link of links)
      context.output.note(`${link} is a link, so it is no part of the save ${slot.name}.`)
    this.#local = save ?? (await this.#readDeleted(await this.#synced(), remote))
    const synced = await this.#synced()
    const step = planSave({ synced, local: this.#local?.sha256 ?? null, remote })
    if (step === 'adopt') await this.#remember(remote, this.#local?.sha256 ?? null)
    if (step === 'conflict') return await this.#resolve(remote, synced)
    if ((step !== 'pull' && step !== 'push') || !options.steps.includes(step))
      return this.describe(step, remote)
    return step === 'pull' ? await this.#pull(remote) : await this.#push(remote)
  }

  async #synced(): Promise<SyncedSave | null> {
    return (await this.#state()).slots[this.slot.name] ?? null
  }

  async #state(): Promise<SaveState> {
    return await readSaveState(this.session.paths, this.session.game)
  }

  async #remember(remote: { revision: string } | null, sha256: string | null): Promise<void> {
    const { paths, game } = this.session
    if (remote) await remember(paths, game, this.slot.name, { revision: remote.revision, sha256 })
  }

  /** Of no files: what the game deleted while it ran, or had deleted when the save was last sent. */
  async #readDeleted(synced: SyncedSave | null, remote: AccountSave | null): Promise<LocalSave | null> {
    const { slot, options } = this
    if (synced === null || synced.sha256 === null) return null
    const isDeleted = options.startedWith?.has(slot.name) ?? false
    if (slot.isSingle) {
      // One file has no form in which it is missing; it is not fetched again until the account has a newer one.
      if (isDeleted && remote?.revision === synced.revision) await this.#remember(remote, null)
      return null
    }
    const bytes = await packSave([])
    const sha256 = sha256Hex(bytes)
    return isDeleted || synced.sha256 === sha256 ? { bytes, sha256, files: [] } : null
  }

  async #push(remote: AccountSave | null): Promise<SlotResult> {
    const local = this.#local
    if (!local) return this.describe('none', remote)
    const written = await this.api.write(this.slot.name, local.bytes, remote?.revision ?? null)
    if (typeof written === 'string') {
      await this.#remember({ revision: written }, local.sha256)
      return this.describe('push', remote, { isDone: true })
    }
    const now = await this.#findRemote()
    // The answer to an earlier attempt was lost, or another device sent the same.
    if (now?.sha256 === local.sha256) {
      await this.#remember(now, local.sha256)
      return this.describe('push', now, { isDone: true })
    }
    const { kept } = written
    const { steps, choice } = this.options
    if (choice === 'theirs' && kept !== null && steps.includes('pull'))
      return { ...(await this.#pull(now)), kept }
    return this.describe('conflict', now, { kept })
  }

  async #findRemote(): Promise<AccountSave | null> {
    const { slots } = await this.api.list()
    return slots.find(({ slot }) => slot.normalize('NFC') === this.slot.name.normalize('NFC')) ?? null
  }

  async #pull(remote: AccountSave | null): Promise<SlotResult> {
    if (!remote) return this.describe('none', remote)
    const { slot, session, context } = this
    const { paths, game } = session
    const bytes = await this.api.read(slot.name, remote)
    const next = await this.#unpack(bytes)
    const sha256 = sha256Hex(slot.isSingle ? bytes : await packSave(next))
    const synced = { revision: remote.revision, sha256 }
    const placement = {
      slot: slot.name,
      folders: slot.folders,
      isSingle: slot.isSingle,
      local: this.#local,
      next,
      synced,
    }
    await stageSave(paths, placement, context.machine.platform)
    await finishSave(paths, (name, done) => remember(paths, game, name, done))
    return this.describe('pull', remote, { isDone: true })
  }

  async #unpack(bytes: Uint8Array): Promise<SavedFile[]> {
    const { slot } = this
    if (slot.isSingle) return [{ path: slot.folders[0]?.pattern.rest[0] ?? slot.name, bytes }]
    try {
      return await unpackSave(bytes)
    } catch (error) {
      if (!(error instanceof ZipError)) throw error
      throw new CliError(
        'refused',
        `The save ${slot.name} in your account is no zip that shelf takes: ${error.message}`,
        {
          hint: 'Nothing was changed. Restore an older revision with "shelf saves restore".',
          cause: error,
        },
      )
    }
  }

  /** Both changed. What is here is kept in the account before anything of it is replaced. */
  async #resolve(remote: AccountSave | null, synced: SyncedSave | null): Promise<SlotResult> {
    const { options, slot } = this
    const local = this.#local
    if (!local || !remote) return this.describe('none', remote)
    const revisions = await this.api.listRevisions(slot.name, REVISIONS_LOOKED_AT)
    const isOlder = revisions.some(({ sha256, refused }) => sha256 === local.sha256 && !refused)
    if (isOlder) {
      if (options.steps.includes('pull')) return await this.#pull(remote)
      return this.describe('pull', remote)
    }
    if (options.choice === 'mine') return await this.#push(remote)
    const kept = await this.#keep(local, synced)
    if (options.choice === null) return this.describe('conflict', remote, { kept })
    const now = await this.#findRemote()
    return { ...(await this.#pull(now)), kept }
  }

  /** Sends what is here as a revision that comes too late, once; with --theirs it is put into a file if that fails. */
  async #keep(local: LocalSave, synced: SyncedSave | null): Promise<string | null> {
    const { session, slot, options, context } = this
    const { paths, game } = session
    const state = await this.#state()
    const known = state.kept[slot.name]
    if (known?.sha256 === local.sha256) return known.revision
    try {
      const written = await this.api.write(slot.name, local.bytes, synced?.revision ?? null)
      const revision = typeof written === 'string' ? written : written.kept
      if (revision === null) throw new CliError('refused', 'The store did not keep the save of this machine.')
      const kept = { ...state.kept, [slot.name]: { revision, sha256: local.sha256 } }
      await writeSaveState(paths, { ...state, kept })
      return revision
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      context.output.warn(
        `${session.name}: the save here could not be kept in your account. ${error.message}`,
      )
      if (options.choice === null) return null
      const path = join(paths.folder, 'kept', `${game.uid}-${sha256Hex(local.bytes).slice(0, 12)}`)
      await mkdir(join(paths.folder, 'kept'), { recursive: true, mode: 0o700 })
      await writeFile(path, local.bytes, { mode: 0o600 })
      context.output.warn(`It is kept as ${path} (${formatBytes(local.bytes.length)}).`)
      return null
    }
  }
}
