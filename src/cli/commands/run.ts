import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { unlessMissing } from '../../lib/unless-missing.ts'
import { requireSafePath } from '../../lib/zip/paths.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { lock } from '../install/lock.ts'
import { findInstalled, hasJournal, withInstall } from '../install/open.ts'
import { cleanPath, type InstallRecord, readRecord, statePaths, writeRecord } from '../install/record.ts'
import { fetchSaves, type RunSavesOptions } from '../saves/run-saves.ts'

const EXECUTABLE = 0o111
const CHOICES_SHOWN = 20
/** Variables of shelf, which may hold keys, are not passed to games. */
const SECRETS = /^SHELF_/

/** Starts an installed game and ends with its exit code. */
export async function run(
  context: Context,
  text: string,
  args: readonly string[],
  { exe, ...options }: { exe?: string } & RunSavesOptions,
): Promise<void> {
  const installed = await findInstalled(context, text)
  const { folder } = installed
  if (exe !== undefined) await rememberExe(context, folder, exe)
  const sendSaves = await fetchSaves(context, installed, options)
  using held = new DisposableStack()
  held.use(await lockRunning(context, folder))
  const record = await readRecord(folder)
  if (!record) throw new CliError('files', `Nothing is installed in ${folder} any more.`)
  const program = await findProgram(context, folder, record)
  const path = join(folder, program.path)
  const child = Bun.spawn([path, ...program.args, ...args], {
    cwd: dirname(path),
    env: Object.fromEntries(Object.entries(context.env).filter(([name]) => !SECRETS.test(name))),
    stdio: ['inherit', 'inherit', 'inherit'],
  })
  const pass = ({ reason }: AbortSignal) => {
    // A terminal sends Ctrl-C to both; a service manager stops only this process.
    if (reason instanceof Error && reason.message === 'SIGTERM') child.kill('SIGTERM')
  }
  context.signal.addEventListener('abort', () => pass(context.signal), { once: true })
  context.exitWith(await child.exited)
  await sendSaves?.()
}

/** No update is put in place while a game runs, and no game is started while one is put in place. */
async function lockRunning(context: Context, folder: string): Promise<Disposable> {
  const { signal, output } = context
  for (;;) {
    const onWait = () => output.note('An update is being put in place. Waiting until it is done.')
    const held = await lock(statePaths(folder).running, { signal, onWait, kind: 'shared' })
    if (!(await hasJournal(folder))) return held
    held[Symbol.dispose]()
    await withInstall(context, folder, async () => undefined)
  }
}

async function rememberExe(context: Context, folder: string, exe: string): Promise<void> {
  await requireProgram(folder, parseProgramPath(exe))
  await withInstall(context, folder, async () => {
    const record = await readRecord(folder)
    if (record) await writeRecord(folder, { ...record, exe: parseProgramPath(exe) })
  })
}

/** The program that the player chose, else the one that the developer named, else the only one at the top. */
async function findProgram(
  { machine }: Context,
  folder: string,
  { exe, launch, game }: InstallRecord,
): Promise<{ path: string; args: readonly string[] }> {
  const named = exe ?? launch?.path
  if (named !== undefined) {
    const path = parseProgramPath(named)
    await requireProgram(folder, path)
    return { path, args: exe === null ? (launch?.args ?? []) : [] }
  }
  const programs: string[] = []
  for (const name of await readdir(folder)) {
    const found = await lstat(join(folder, name))
    const isProgram = machine.platform === 'win32' ? /\.exe$/i.test(name) : (found.mode & EXECUTABLE) !== 0
    if (found.isFile() && isProgram) programs.push(name)
  }
  const [only] = programs
  if (only !== undefined && programs.length === 1) return { path: only, args: [] }
  const choices = programs.length === 0 ? '' : ` There is: ${programs.slice(0, CHOICES_SHOWN).join(', ')}.`
  throw new CliError('usage', `${game.name} does not say which program starts it.`, {
    hint: `Choose one of the folder with --exe; it is remembered.${choices}`,
  })
}

function parseProgramPath(text: string): string {
  const path = cleanPath(text.replaceAll('\\', '/'))
  try {
    requireSafePath(path)
    return path
  } catch (error) {
    if (error instanceof ZipError) throw new CliError('usage', `${error.message} It cannot be started.`)
    throw error
  }
}

async function requireProgram(folder: string, path: string): Promise<void> {
  if ((await unlessMissing(lstat(join(folder, path))))?.isFile()) return
  throw new CliError('files', `There is no program ${path} in ${folder}.`, {
    hint: 'Repair the installation with "shelf verify --repair", or choose another one with --exe.',
  })
}
