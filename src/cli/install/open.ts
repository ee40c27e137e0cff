import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import { isUid } from '../../lib/ids.ts'
import { parseJsonOrNull } from '../../lib/json.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError, toCliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { parseGameRef } from '../player/player-api.ts'
import { configFolder } from '../settings/settings.ts'
import { toInstallError } from './disk-room.ts'
import { requireNotRunning } from './install.ts'
import { lock, type LockKind, tryLock } from './lock.ts'
import { type InstallRecord, readRecord, requireOwnState, statePaths } from './record.ts'
import { finishSwitch } from './switch.ts'

const Entry = Type.Object({ folder: Type.String() })

/** The folders with installed games, each in a file of its own, so that commands at the same time do not lose one. */
class InstallRegistry {
  readonly #folder: string

  constructor(configFolder: string) {
    this.#folder = join(configFolder, 'installs')
  }

  async list(): Promise<string[]> {
    const folders: string[] = []
    for (const name of (await unlessMissing(readdir(this.#folder))) ?? []) {
      if (!name.endsWith('.json')) continue
      const text = await unlessMissing(readFile(join(this.#folder, name), 'utf8'))
      const entry = text === null ? null : parseJsonOrNull(text)
      if (Value.Check(Entry, entry)) folders.push(entry.folder)
    }
    return folders.sort()
  }

  async add(folder: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = this.#path(folder)
    await writeFile(`${path}.${process.pid}`, JSON.stringify({ folder }))
    await rename(`${path}.${process.pid}`, path)
  }

  async remove(folder: string): Promise<void> {
    await rm(this.#path(folder), { force: true })
  }

  #path(folder: string): string {
    return join(this.#folder, `${sha256Hex(folder).slice(0, 16)}.json`)
  }
}

export interface Installed {
  folder: string
  record: InstallRecord
}

export function createRegistry({ machine }: Context): InstallRegistry {
  return new InstallRegistry(configFolder(machine))
}

/**
 * Runs `work` under the lock of the folder: alone, after finishing an interrupted update, or beside other
 * readers if `kind` is `shared`.
 */
export async function withInstall<Result>(
  context: Context,
  folder: string,
  work: () => Promise<Result>,
  kind: LockKind = 'exclusive',
): Promise<Result> {
  const { output, signal } = context
  try {
    const onWait = () => output.note(`Another command works in ${folder}. Waiting until it is done.`)
    using held = new DisposableStack()
    await requireOwnState(folder)
    held.use(await lock(statePaths(folder).lock, { signal, onWait, kind }))
    if (kind === 'exclusive') await finishInterrupted(context, folder)
    return await work()
  } catch (error) {
    throw toInstallError(error, folder)
  }
}

/**
 * Finishes the updates that were interrupted while they were put in place, in all folders that are known. Needs no
 * network. Folders in which another command works are left to it.
 */
export async function finishAll(context: Context): Promise<void> {
  for (const folder of await createRegistry(context).list()) {
    if (!(await hasJournal(folder))) continue
    try {
      await requireOwnState(folder)
      using held = await tryLock(statePaths(folder).lock)
      if (held) await finishInterrupted(context, folder)
    } catch (error) {
      const { message, hint } = toCliError(error)
      context.output.warn(`The update in ${folder} could not be finished: ${message} ${hint ?? ''}`.trimEnd())
    }
  }
}

async function finishInterrupted({ output }: Context, folder: string): Promise<void> {
  if (!(await hasJournal(folder))) return
  using held = new DisposableStack()
  held.use(await requireNotRunning(folder, folder))
  const result = await finishSwitch(folder)
  if (!result) return
  output.note(`An interrupted update in ${folder} was finished.`)
  reportKeptChanges({ output }, result.mine)
}

export function reportKeptChanges({ output }: Pick<Context, 'output'>, mine: readonly string[]): void {
  for (const path of mine) output.warn(`What you had changed is kept as ${path}.`)
}

export async function hasJournal(folder: string): Promise<boolean> {
  return await access(statePaths(folder).journal).then(
    () => true,
    () => false,
  )
}

/** All that is installed and can be read; a disk that is not there now may come back. */
export async function listInstalled(context: Context): Promise<Installed[]> {
  await finishAll(context)
  const found: Installed[] = []
  for (const folder of await createRegistry(context).list()) {
    try {
      const record = await readRecord(folder)
      if (record) found.push({ folder, record })
    } catch (error) {
      context.output.warn(toCliError(error).message)
    }
  }
  return found
}

/** By name, uid, address of the store page, or the folder itself. */
export async function findInstalled(context: Context, text: string): Promise<Installed> {
  const installed = await listInstalled(context)
  const folder = resolve(context.cwd, text)
  const here = installed.find((one) => one.folder === folder)
  if (here) return here
  const { server, game } = parseGameRef(text)
  const fitting = installed.filter(
    ({ record }) =>
      (server === null || record.server === server) &&
      (isUid(game) ? record.game.uid === game.toLowerCase() : record.game.vanity_name === game),
  )
  const [found] = fitting
  if (found && fitting.length === 1) return found
  if (found) {
    throw new CliError('usage', `${text} is installed more than once.`, {
      hint: `Name the folder: ${fitting.map((one) => one.folder).join(', ')}.`,
    })
  }
  // An installation of another account or container is not in the list.
  if (await hasJournal(folder)) await withInstall(context, folder, async () => undefined)
  const record = await readRecord(folder)
  if (record) return { folder, record }
  throw new CliError('usage', `${text} is not installed.`, {
    hint: `Install it with "shelf get ${text}"; "shelf list" shows what is.`,
  })
}
