import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { parseJsonOrNull } from '../../lib/json.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'

/** Reads a JSON file that shelf wrote; null if there is none. `toError` is for a damaged one. */
export async function readOwnFile<Schema extends TSchema>(
  path: string,
  schema: Schema,
  toError: () => Error,
): Promise<Static<Schema> | null> {
  const text = await unlessMissing(readFile(path, 'utf8'))
  if (text === null) return null
  const content = parseJsonOrNull(text)
  if (Value.Check(schema, content)) return content
  throw toError()
}

/** Replaces the file as a whole. Only its owner can read it. */
export async function writeOwnFile(path: string, content: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, path)
}
