import { exists, open, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { parseJson } from '../../lib/json.ts'
import { CliError, codeOf } from '../cli-error.ts'
import { type PackFile, resolveInside, sortByBytes, statFile } from './list-files.ts'
import { requireUnchanged } from './read-blocks.ts'

export const FILE_LIST = 'shelf.files.json'

const ListedFile = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    size: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    executable: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type ListedFile = Static<typeof ListedFile>

/** `shelf.files.json`. */
const FileList = Type.Object({ version: Type.Literal(1), root: Type.String(), files: Type.Array(ListedFile) })
type FileList = Static<typeof FileList>

const READ_SIZE = 1024 ** 2
const SHOWN_MAX = 10

export async function readFileList(path: string): Promise<FileList> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
    throw new CliError('files', `The file list ${path} is missing.`, { hint: 'Write it with "shelf files".' })
  })
  try {
    const list = parseJson(text)
    if (Value.Check(FileList, list)) return list
  } catch {
    // Reported with the other faults below.
  }
  throw new CliError('usage', `${path} is not a file list.`, { hint: 'Write it again with "shelf files".' })
}

/** Describes the files for the list; folders are not listed. */
export async function hashFiles(
  files: readonly PackFile[],
  onBytes: (count: number) => void,
): Promise<ListedFile[]> {
  const listed: ListedFile[] = []
  for (const file of files) {
    if (file.isFolder) continue
    const { path, size, isExecutable } = file
    listed.push({ path, size, sha256: await hashFile(file, onBytes), executable: isExecutable })
  }
  return listed
}

async function hashFile(file: PackFile, onBytes: (count: number) => void): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  const buffer = Buffer.allocUnsafe(READ_SIZE)
  await using handle = await open(file.source, 'r')
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, READ_SIZE, null)
    if (bytesRead === 0) break
    hasher.update(buffer.subarray(0, bytesRead))
    onBytes(bytesRead)
  }
  await requireUnchanged(handle, file)
  return hasher.digest('hex')
}

/** Exactly the listed files of the folder. */
export async function openListedFiles(folder: string, list: FileList): Promise<PackFile[]> {
  const root = await realpath(folder)
  const files: PackFile[] = []
  for (const { path } of sortByBytes(list.files)) {
    if (path.split('/').some((part) => ['', '.', '..'].includes(part))) {
      throw new CliError('files', `The file list names "${path}", which is not inside the folder.`)
    }
    const source = join(root, path)
    if (!(await exists(source))) throw new CliError('files', `${path} is in the file list, but missing.`)
    files.push(await statFile(await resolveInside(root, source, path), path))
  }
  return files
}

/** Throws if the files are not the ones of the list. */
export function requireListed(list: FileList, found: readonly ListedFile[]): void {
  const differences = compareLists(list.files, found)
  if (differences.length === 0) return
  const shown = differences.slice(0, SHOWN_MAX).map((line) => `  ${line}`)
  const more = differences.length > SHOWN_MAX ? [`  and ${differences.length - SHOWN_MAX} more`] : []
  throw new CliError('files', ['The files differ from the list:', ...shown, ...more].join('\n'), {
    hint: 'Restore them, or write the list again with "shelf files".',
  })
}

export function compareLists(listed: readonly ListedFile[], found: readonly ListedFile[]): string[] {
  const known = new Map(listed.map((file) => [file.path, file]))
  const present = new Set(found.map(({ path }) => path))
  const changes = found.flatMap((file) => {
    const before = known.get(file.path)
    if (!before) return [`new: ${file.path}`]
    const { size, sha256, executable } = before
    const isSame = size === file.size && sha256 === file.sha256 && executable === file.executable
    return isSame ? [] : [`changed: ${file.path}`]
  })
  return [
    ...changes,
    ...listed.filter(({ path }) => !present.has(path)).map(({ path }) => `missing: ${path}`),
  ]
}
