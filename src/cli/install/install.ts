import { lstat, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { formatBytes, formatNumber, plural } from '../../lib/text/show.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError } from '../cli-error.ts'
import { type Context, createRetries } from '../context.ts'
import type { PlayerApi } from '../player/player-api.ts'
import { type AnnouncedFile, readContentsDocument, readWholeZip } from './contents.ts'
import { requireRoom } from './disk-room.ts'
import { writeDurably } from './durable.ts'
import { RateLimiter, type ReadLink, RemoteFile } from './fetch/remote-file.ts'
import { inspectFiles } from './inspect.ts'
import { tryLock } from './lock.ts'
import { type InstallPlan, planInstall } from './plan.ts'
import { InstallProgress } from './progress.ts'
import {
  cleanPath,
  type InstalledFile,
  type InstallRecord,
  readInstalledContents,
  readRecord,
  requireFitNames,
  statePaths,
} from './record.ts'
import { stageFiles } from './stage.ts'
import { createJournal, finishSwitch, writeJournal } from './switch.ts'

/** A file of a build, with what the record says about it later. */
export interface InstallTarget {
  game: InstallRecord['game']
  build: Pick<InstallRecord, 'channel' | 'app' | 'os' | 'arch' | 'build_id' | 'version'>
  file: AnnouncedFile & Pick<InstallRecord, 'launch' | 'saves'>
}

interface InstallOptions {
  player: PlayerApi
  target: InstallTarget
  limitRate: number | null
  /** Read every file and restore those that are not as packed. */
  isRepair?: boolean
}

export interface InstallResult {
  record: InstallRecord
  fetched: number
  copied: number
  kept: number
  written: number
  mine: string[]
}

const CONTINUE_HINT = 'Run the same command again: what was fetched is kept.'

/**
 * Installs or updates; the caller holds the lock of the folder. The installed version is complete at all
 * times.
 */
export async function install(
  context: Context,
  folder: string,
  { player, target, limitRate, isRepair = false }: InstallOptions,
): Promise<InstallResult> {
  const { output, signal, machine } = context
  const { file, game } = target
  using progress = new InstallProgress(output, await nameWork(folder, isRepair), game.vanity_name)
  const remote = new RemoteFile(createReadLink(folder, player, target), {
    size: file.size,
    limiter: new RateLimiter(limitRate),
    signal,
    onBytes: (count) => progress.advance('fetched', count),
  })
  const transfer = {
    folder,
    progress,
    signal,
    createRetry: createRetries(context, { isPatient: true, hint: CONTINUE_HINT }),
  }
  await mkdir(statePaths(folder).next, { recursive: true })
  const document = await player.readContents(game.uid, file.file_uid)
  if (document === null) await requireRoom(folder, file.size)
  const {
    entries,
    document: contents,
    source,
  } = document === null
    ? await readWholeZip(remote, file, transfer)
    : { ...(await readContentsDocument(document, file)), source: remote }
  requireFitNames(
    entries.map(({ path }) => path),
    folder,
    machine.platform,
  )

  const record = await readRecord(folder)
  const { files, isMine, isKept } = await readInstalled(folder, record, entries, isRepair)
  const installed = { files, contents: await readInstalledContents(folder), isIntact: isKept }
  const launchPath = file.launch === null ? null : cleanPath(file.launch.path)
  const plan = planInstall(entries, installed, launchPath)
  await requireRoom(folder, await measureNeeded(folder, plan))
  const { copied } = await stageFiles(plan, { ...transfer, source })

  using held = new DisposableStack()
  held.use(await requireNotRunning(folder, game.name))
  const next = { record: await createRecord(folder, player.api.server, target, plan, record), contents }
  await writeJournal(folder, createJournal(plan, isMine), next)
  const { mine } = (await finishSwitch(folder)) ?? { mine: [] }
  const { fetched } = progress
  return { record: next.record, fetched, copied, kept: plan.kept.length, written: plan.files.length, mine }
}

async function nameWork(folder: string, isRepair: boolean): Promise<string> {
  if (isRepair) return 'repairing'
  return (await isInstalled(folder)) ? 'updating' : 'installing'
}

async function isInstalled(folder: string): Promise<boolean> {
  return (await unlessMissing(lstat(statePaths(folder).record))) !== null
}

/** Counted once for the developer, however many links and commands it takes. */
function createReadLink(folder: string, player: PlayerApi, { game, file }: InstallTarget): ReadLink {
  const { asked } = statePaths(folder)
  return async () => {
    const isCounted = (await unlessMissing(readFile(asked, 'utf8'))) === file.file_uid
    const reason = isCounted ? 'continue' : (await isInstalled(folder)) ? 'update' : 'install'
    const link = await player.readLink(game.uid, file.file_uid, reason)
    if (!isCounted) await writeDurably(asked, file.file_uid)
    return link
  }
}

/** Throws while the game runs, because it would read files of both versions during the switch. */
export async function requireNotRunning(folder: string, name: string): Promise<Disposable> {
  const held = await tryLock(statePaths(folder).running)
  if (held) return held
  throw new CliError('files', `${name} is running.`, {
    hint: 'Close it and run the same command again: nothing is fetched twice.',
  })
}

/** Finds the recorded files, and unrecorded ones that the new version has too. */
async function readInstalled(
  folder: string,
  record: InstallRecord | null,
  entries: readonly { path: string; size: number; sha256: string; mode: number | null }[],
  isRepair: boolean,
) {
  const recorded = record?.files ?? []
  const known = new Set(recorded.map(({ path }) => path))
  // Unknown files where the new version has some: they may be those of a record that was lost.
  const unknown = entries
    .map(({ path, size, sha256, mode }) => ({
      path: cleanPath(path),
      size,
      sha256,
      executable: ((mode ?? 0) & 0o111) !== 0,
      modified_at: Number.NaN,
    }))
    .filter(({ path }) => !known.has(path))
  const states = await inspectFiles(folder, [...recorded, ...unknown], { isThorough: isRepair })
  const adopted = await Promise.all(
    unknown.filter(({ path }) => states.get(path) === 'intact').map((file) => stampFile(folder, file)),
  )
  return {
    files: [...recorded, ...adopted],
    isMine: (path: string) => states.get(path) === 'changed',
    /** A file that the player changed stays, unless the new version changes it too. */
    isKept: ({ path }: InstalledFile) =>
      states.get(path) === 'intact' || (!isRepair && states.get(path) === 'changed'),
  }
}

async function stampFile(folder: string, file: InstalledFile): Promise<InstalledFile> {
  return { ...file, modified_at: (await lstat(join(folder, file.path))).mtimeMs }
}

/** Without what an interrupted command already wrote. */
async function measureNeeded(folder: string, { files }: InstallPlan): Promise<number> {
  const { staged } = statePaths(folder)
  let needed = 0
  for (const file of files) {
    const found = await lstat(join(staged, file.staged)).catch(() => null)
    const spool = file.pieces === null ? file.packed : 0
    needed += Math.max(0, file.size + spool - (found ? found.blocks * 512 : 0))
  }
  return needed
}

async function createRecord(
  folder: string,
  server: string,
  { game, build, file }: InstallTarget,
  { kept, files }: InstallPlan,
  before: InstallRecord | null,
): Promise<InstallRecord> {
  const { staged } = statePaths(folder)
  const written: InstalledFile[] = []
  for (const { path, size, sha256, isExecutable, staged: name } of files) {
    const { mtimeMs: modified_at } = await lstat(join(staged, name))
    written.push({ path, size, sha256, executable: isExecutable, modified_at })
  }
  const { channel, app, os, arch, build_id, version } = build
  return {
    format: 1,
    server,
    game: { uid: game.uid, vanity_name: game.vanity_name, name: game.name },
    channel,
    app,
    os,
    arch,
    build_id,
    file_uid: file.file_uid,
    file_size: file.size,
    checksum: file.checksum,
    version,
    launch: file.launch,
    saves: file.saves ?? null,
    exe: before?.exe ?? null,
    files: [...kept, ...written],
  }
}

/** The file that is installed, for a repair. */
export function toTarget(record: InstallRecord): InstallTarget {
  const { game, file_uid, file_size, checksum, launch, saves, ...build } = record
  return { game, build, file: { file_uid, size: file_size, checksum, installed_size: null, launch, saves } }
}

export function describeResult({ record, fetched, copied, written }: InstallResult): string {
  const size = record.files.reduce((sum, file) => sum + file.size, 0)
  const copies = copied > 0 ? `, ${formatBytes(copied)} copied` : ''
  return `${record.game.name} ${record.version}: ${formatBytes(size)}, ${formatNumber(written)} of ${plural(record.files.length, 'file')} written; ${formatBytes(fetched)} fetched${copies}.`
}
