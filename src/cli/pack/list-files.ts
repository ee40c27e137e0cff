import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'

import ignore from 'ignore'

import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError, codeOf } from '../cli-error.ts'

/** Files and folders that hold keys and passwords wherever they are. */
const NAMES = new RegExp(
  [
    String.raw`^\.(?:git|npmrc|netrc|pypirc)$`,
    // Except templates, which only show which variables there are.
    String.raw`^\.env(?:\.(?!(?:example|sample|template|dist)$).+)?$`,
    '^id_(?:rsa|dsa|ecdsa|ed25519)$',
    String.raw`\.(?:ppk|p12|pfx|jks|keystore)$`,
  ].join('|'),
  'i',
)
/** Names of files that may be a private key; their content decides. */
const LIKELY = /^[^.]+$|\.(?:pem|key|p8|asc)$/i
const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/
const KEY_BYTES_MAX = 32 * 1024

function isSecretName(name: string): boolean {
  return NAMES.test(name)
}

async function isPrivateKey(name: string, path: string, size: number): Promise<boolean> {
  if (size > KEY_BYTES_MAX || !LIKELY.test(name)) return false
  return PRIVATE_KEY.test(await readFile(path, 'latin1'))
}

/** A file or folder that goes into the zip. */
export interface PackFile {
  /** Inside the zip: separated by slashes, with one at the end of a folder. */
  path: string
  /** On this machine. */
  source: string
  isFolder: boolean
  isExecutable: boolean
  size: number
  /** In nanoseconds, to notice changes. */
  modifiedAt: bigint
}

const IGNORE_FILE = '.shelfignore'
const ALWAYS_IGNORED = new Set(['.DS_Store', 'Thumbs.db', 'shelf.json', 'shelf.files.json', IGNORE_FILE])
const EXECUTABLE = 0o111n

interface ListOptions {
  includeSecrets?: boolean
  /** Called with each file or folder that is left out because it may hold secrets. */
  onSecret?: (path: string) => void
}

interface Walk extends Required<ListOptions> {
  root: string
  isIgnored: (path: string) => boolean
  found: PackFile[]
}

/** Lists the folder without ignored files and secrets, in the order of the zip: sorted by the bytes of the path. */
export async function listFiles(
  folder: string,
  { includeSecrets = false, onSecret = () => undefined }: ListOptions = {},
): Promise<PackFile[]> {
  const root = await realpath(folder)
  const walk: Walk = { root, isIgnored: await readIgnoreRules(root), found: [], includeSecrets, onSecret }
  await addFolder(walk, root, '', [root])
  return sortByBytes(walk.found)
}

export function sortByBytes<Item extends { path: string }>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, bytes: Buffer.from(item.path) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ item }) => item)
}

/** Describes one file; links are followed. */
export async function statFile(source: string, path: string): Promise<PackFile> {
  const info = await stat(source, { bigint: true })
  const isFolder = info.isDirectory()
  if (!isFolder && !info.isFile()) {
    throw new CliError(
      'files',
      `${path} is neither a file nor a folder. Remove it, or ignore it in ${IGNORE_FILE}.`,
    )
  }
  return {
    path: isFolder ? `${path}/` : path,
    source,
    isFolder,
    isExecutable: !isFolder && (info.mode & EXECUTABLE) !== 0n,
    size: isFolder ? 0 : Number(info.size),
    modifiedAt: info.mtimeNs,
  }
}

/** `parents` are the real paths of the folders above, to notice links that lead in a circle. */
async function addFolder(
  walk: Walk,
  folder: string,
  prefix: string,
  parents: readonly string[],
): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = prefix + entry.name
    if (ALWAYS_IGNORED.has(entry.name) || walk.isIgnored(path)) continue
    if (!walk.includeSecrets && isSecretName(entry.name)) {
      if (!entry.isDirectory() || !walk.isIgnored(`${path}/`)) walk.onSecret(path)
      continue
    }
    const source = entry.isSymbolicLink()
      ? await resolveInside(walk.root, join(folder, entry.name), path)
      : join(folder, entry.name)
    const file = await statFile(source, path).catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT' ? missing(path, error) : error
    })
    if (file.isFolder) {
      if (walk.isIgnored(file.path)) continue
      if (parents.includes(source)) throw new CliError('files', `The link ${path} leads in a circle.`)
      walk.found.push(file)
      await addFolder(walk, source, file.path, [...parents, source])
    } else if (!walk.includeSecrets && (await isPrivateKey(entry.name, source, file.size)))
      walk.onSecret(path)
    else walk.found.push(file)
  }
}

/** Follows links, but not out of the folder. */
export async function resolveInside(root: string, link: string, path: string): Promise<string> {
  const target = await realpath(link).catch((error: unknown) => {
    throw new CliError('files', `The link ${path} leads nowhere.`, {
      hint: `Repair or remove it, or ignore it in ${IGNORE_FILE}.`,
      cause: error,
    })
  })
  if (target === root || target.startsWith(root + sep)) return target
  throw new CliError('files', `The link ${path} leads out of the folder, to ${target}.`, {
    hint: `Copy the file into the folder, or ignore the link in ${IGNORE_FILE}.`,
  })
}

async function readIgnoreRules(root: string): Promise<(path: string) => boolean> {
  const rules = await unlessMissing(readFile(join(root, IGNORE_FILE), 'utf8'))
  if (rules === null) return () => false
  const matcher = ignore({ ignorecase: false }).add(rules)
  return (path) => matcher.ignores(path)
}

function missing(path: string, cause: unknown): CliError {
  const message = path.includes('\uFFFD')
    ? `The name ${path} is not valid UTF-8. Rename the file.`
    : `${path} disappeared while the folder was read.`
  return new CliError('files', message, { cause })
}
