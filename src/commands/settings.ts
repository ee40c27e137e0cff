import { readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'

import { Value } from '@sinclair/typebox/value'

import type { Deps } from '../deps.ts'
import { STORE_IMAGES } from '../domain/store-settings.ts'
import { AppError } from '../errors.ts'
import {
  changeSettings,
  describeChange,
  getSettings,
  listChanges,
  previewSettings,
} from '../features/operate/settings/service.ts'
import { SettingsPatch } from '../features/settings/model.ts'
import { listIssues } from '../http/input/issues.ts'
import { parseJson } from '../lib/json.ts'

const USAGE = 'settings takes: export <file>, or import <file> [--yes]'
/** Ten pages of 50,000 characters, each up to four bytes, and the rest. */
const FILE_BYTES_MAX = 4 * 1024 ** 2

interface SettingsOptions {
  print?: (text: string) => void
  /** Whether the operator agrees to the changes that were printed. */
  confirm?: () => Promise<boolean>
}

/** For those who keep their configuration in a repository. Images are not part of the file. */
export async function runSettings(
  deps: Deps,
  options: readonly string[],
  { print = console.log, confirm = askYes }: SettingsOptions = {},
): Promise<string> {
  const [action, file, ...more] = options
  if (file === undefined) throw new Error(USAGE)
  if (action === 'export' && more.length === 0) return await exportTo(deps, file)
  if (action !== 'import' || more.some((option) => option !== '--yes') || more.length > 1)
    throw new Error(USAGE)
  return await importFrom(deps, file, { print, confirm: more.length === 1 ? async () => true : confirm })
}

async function exportTo(deps: Deps, file: string): Promise<string> {
  const { settings } = await getSettings(deps)
  await writeFile(file, `${JSON.stringify(settings, null, 2)}\n`)
  return `The settings are written to ${file}. Images are not part of it.`
}

async function importFrom(
  deps: Deps,
  file: string,
  { print, confirm }: Required<SettingsOptions>,
): Promise<string> {
  const patch = await readPatchFile(file)
  const changed = await explaining(previewSettings(deps, patch))
  const changes = listChanges(deps, changed)
  if (changes.length === 0) return 'Nothing would change.'
  print(['This would change:', ...changes.map((change) => `  ${describeChange(change)}`)].join('\n'))
  if (!(await confirm())) return 'Nothing was changed.'
  await explaining(
    changeSettings(deps, null, patch, (revision) => {
      if (revision !== changed.before.revision)
        throw new Error('Somebody changed the settings meanwhile. Try again.')
    }),
  )
  return 'The settings are changed and apply at once.'
}

/** By the rules of the API; fields that the file does not have stay as they are. */
async function readPatchFile(file: string): Promise<SettingsPatch> {
  const text = await readFile(file, 'utf8')
  if (text.length > FILE_BYTES_MAX) throw new Error(`${file} is too large to be settings.`)
  let value: unknown
  try {
    value = parseJson(text)
  } catch (cause) {
    throw new Error(`${file} is not JSON.`, { cause })
  }
  // As the API shows them; they are set by uploading.
  if (typeof value === 'object' && value !== null)
    for (const name of STORE_IMAGES) Reflect.deleteProperty(value, name)
  if (Value.Check(SettingsPatch, value)) return value
  throw new Error(
    listIssues(Value.Errors(SettingsPatch, value))
      .map(({ message }) => message)
      .join('\n'),
  )
}

/** Every fault, not only the first. */
async function explaining<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const issues: unknown = error instanceof AppError ? error.data?.issues : undefined
    if (!Array.isArray(issues)) throw error
    throw new Error((issues as { message: string }[]).map(({ message }) => message).join('\n'), {
      cause: error,
    })
  }
}

async function askYes(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error('Nobody can answer here. Add --yes to change the settings.')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(?:es)?$/i.test((await terminal.question('Change the settings? [y/N] ')).trim())
  } finally {
    terminal.close()
  }
}
