import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { Value, type ValueError } from '@sinclair/typebox/value'

import { ShelfFile } from '../../domain/builds/shelf-file.ts'
import { parseJson } from '../../lib/json.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError } from '../cli-error.ts'

export const SHELF_JSON = 'shelf.json'
const FAULTS_SHOWN = 5

export interface ShelfJson {
  /** Paths inside the file are relative to this folder. */
  folder: string
  content: ShelfFile
}

/** Reads the file of this folder or of the nearest parent that has one. */
export async function findShelfJson(cwd: string): Promise<ShelfJson | null> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const text = await unlessMissing(readFile(join(folder, SHELF_JSON), 'utf8'))
    if (text !== null) return { folder, content: parseShelfJson(text, join(folder, SHELF_JSON)) }
    if (dirname(folder) === folder) return null
  }
}

export function parseShelfJson(text: string, path: string): ShelfFile {
  let content: unknown
  try {
    content = parseJson(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('usage', `${path} is not valid JSON: ${reason}.`)
  }
  if (Value.Check(ShelfFile, content)) return content
  const faults = new Map([...Value.Errors(ShelfFile, content)].map((fault) => [fault.path, describe(fault)]))
  const shown = [...faults.values()].slice(0, FAULTS_SHOWN)
  throw new CliError('usage', `${path} is not valid:\n${shown.map((fault) => `  ${fault}`).join('\n')}`, {
    hint: 'Its fields are described in the documentation and in the schema that "$schema" names.',
  })
}

/** `builds[0].os must be one of …`. */
function describe({ path, schema, message, value }: ValueError): string {
  const name =
    path
      .slice(1)
      .replaceAll(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.') || 'The file'
  if (value === undefined) return `${name} is missing.`
  const words = constantsOf(schema.anyOf)
  if (words.length > 0) return `${name} must be one of ${words.join(', ')}.`
  if (message === 'Unexpected property') return `${name} is not a known field.`
  return `${name}: ${message}.${schema.description ? ` ${schema.description}` : ''}`
}

function constantsOf(options: unknown): string[] {
  if (!Array.isArray(options)) return []
  const words = options.map((option: { const?: unknown }) => option.const)
  return words.every((word) => typeof word === 'string') ? words : []
}
