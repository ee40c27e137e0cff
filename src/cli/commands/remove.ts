import { lstat, readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname, join, parse, relative } from 'node:path'

import { plural } from '../../lib/text/show.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError, codeOf } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { inspectFiles } from '../install/inspect.ts'
import { requireNotRunning } from '../install/install.ts'
import { createRegistry, findInstalled, withInstall } from '../install/open.ts'
import { readRecord, STATE_FOLDER, statePaths } from '../install/record.ts'
import { ask } from '../ui/prompt.ts'

interface RemoveOptions {
  keepExtra?: boolean
  yes?: boolean
}

const SHOWN_MAX = 10

/** Removes what was installed. Files that the game or the player wrote are asked about. */
export async function remove(context: Context, text: string, options: RemoveOptions): Promise<void> {
  const { output, machine } = context
  const { folder } = await findInstalled(context, text)
  if (folder === machine.home || folder === parse(folder).root)
    throw new CliError('usage', `${folder} is not a folder of one game.`)
  const { name, extra } = await withInstall(context, folder, async () => {
    const record = await readRecord(folder)
    using held = new DisposableStack()
    held.use(await requireNotRunning(folder, record?.game.name ?? folder))
    const states = await inspectFiles(folder, record?.files ?? [])
    const installed = new Set([...states].filter(([, state]) => state === 'intact').map(([path]) => path))
    const others = await listOthers(folder, installed)
    if (others.length > 0 && !options.keepExtra && !options.yes) await confirm(context, folder, others)
    // The record is removed last, so that the same command can continue after an interruption.
    for (const path of installed) await unlessMissing(unlink(join(folder, path)))
    if (!options.keepExtra) for (const path of others) await rm(join(folder, path), { force: true })
    await removeEmptyFolders(folder, [...installed, ...(options.keepExtra ? [] : others)])
    return { name: record?.game.name ?? text, extra: options.keepExtra ? others.length : 0 }
  })
  await rm(statePaths(folder).state, { recursive: true, force: true })
  await removeIfEmpty(folder)
  await createRegistry(context).remove(folder)
  const kept = extra > 0 ? ` ${plural(extra, 'file')} of yours stayed in ${folder}.` : ''
  output.result(`${name} was removed.${kept}`)
  output.json({ folder, kept: extra })
}

async function confirm({ signal }: Context, folder: string, others: readonly string[]): Promise<void> {
  const shown = others.slice(0, SHOWN_MAX).join(', ') + (others.length > SHOWN_MAX ? ', …' : '')
  const notInstalled = plural(others.length, 'file that was not installed', 'files that were not installed')
  const question = `Also delete ${notInstalled} (${shown})? yes or no`
  if (!process.stdin.isTTY) {
    throw new CliError('usage', `${folder} has ${notInstalled}.`, {
      hint: 'Use --keep-extra to keep them, or --yes to delete them too.',
    })
  }
  if ((await ask(signal, question, 'no')).toLowerCase() !== 'yes') {
    throw new CliError('usage', 'Nothing was removed.', { hint: 'Use --keep-extra to keep these files.' })
  }
}

/** Everything in the folder that is not as installed. Links are listed, not followed. */
async function listOthers(folder: string, installed: ReadonlySet<string>): Promise<string[]> {
  const others: string[] = []
  async function walk(path: string): Promise<void> {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const target = join(path, entry.name)
      const name = relative(folder, target).replaceAll('\\', '/')
      if (name === STATE_FOLDER) continue
      if (entry.isDirectory()) await walk(target)
      else if (!installed.has(name)) others.push(name)
    }
  }
  await walk(folder)
  return others
}

/** The folders of removed files, and their parents. */
async function removeEmptyFolders(folder: string, paths: readonly string[]): Promise<void> {
  const folders = new Set<string>()
  for (const path of paths)
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) folders.add(parent)
  for (const path of [...folders].sort((a, b) => b.length - a.length)) {
    const target = join(folder, path)
    if ((await unlessMissing(lstat(target)))?.isDirectory()) await removeIfEmpty(target)
  }
}

async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(String(codeOf(error)))) throw error
  }
}
