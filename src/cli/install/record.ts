import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { parseJsonOrNull } from '../../lib/json.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CONTENTS_BYTES_MAX, type ContentsEntry, decodeContents } from '../../lib/zip/contents.ts'
import { CliError } from '../cli-error.ts'
import { writeDurably } from './durable.ts'
import { findUnfitNames, lookAt, STATE_FOLDER } from './paths.ts'

const Nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([Type.Null(), schema])

const InstalledFile = Type.Object({
  path: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  sha256: Type.String(),
  executable: Type.Boolean(),
  /** When it was written, in milliseconds: a file with this time and size has not been changed since. */
  modified_at: Type.Number(),
})
export type InstalledFile = Static<typeof InstalledFile>

/** What is installed in a folder. */
export const InstallRecord = Type.Object({
  format: Type.Literal(1),
  server: Type.String(),
  game: Type.Object({ uid: Type.String(), vanity_name: Type.String(), name: Type.String() }),
  channel: Type.String(),
  app: Type.String(),
  os: Type.String(),
  arch: Type.String(),
  build_id: Type.String(),
  file_uid: Type.String(),
  /** Size and SHA-256 of the zip. */
  file_size: Type.Integer({ minimum: 0 }),
  checksum: Type.String(),
  version: Type.String(),
  launch: Nullable(Type.Object({ path: Type.String(), args: Type.Optional(Type.Array(Type.String())) })),
  /** Which files belong to a save; older records do not say. */
  saves: Type.Optional(Type.Unknown()),
  /** The program that the player chose. */
  exe: Nullable(Type.String()),
  files: Type.Array(InstalledFile),
})
export type InstallRecord = Static<typeof InstallRecord>

/** More than 200,000 files with the longest names need. */
const STATE_BYTES_MAX = 256 * 1024 ** 2

/** An update that cannot be finished is fetched again. */
export const STATE_HINT = `Remove the folder next in ${STATE_FOLDER}, then run "shelf verify --repair" for this game.`

/** Where an installation keeps what belongs to no game. */
export function statePaths(folder: string) {
  const state = join(folder, STATE_FOLDER)
  const next = join(state, 'next')
  return {
    state,
    record: join(state, 'install.json'),
    contents: join(state, 'contents'),
    lock: join(state, 'lock'),
    running: join(state, 'running'),
    /** What is written for the next version. */
    next,
    nextRecord: join(next, 'install.json'),
    nextContents: join(next, 'contents'),
    staged: join(next, 'files'),
    spools: join(next, 'spools'),
    /** Names the file for which a link was asked, so that an interrupted installation is counted once. */
    asked: join(next, 'asked'),
    /** Once it is there, the next version is put in place, by this command or a later one. */
    journal: join(next, 'journal.json'),
  }
}

/**
 * Throws if the folder of shelf holds links or other things that shelf did not make: whoever supplied the
 * folder could make shelf write to files elsewhere.
 */
export async function requireOwnState(folder: string): Promise<void> {
  const paths = statePaths(folder)
  const folders = new Set([paths.state, paths.next, paths.staged, paths.spools])
  for (const path of Object.values(paths)) {
    const found = await lookAt(path)
    if (!found || (folders.has(path) ? found.isDirectory() : found.isFile())) continue
    const kind = found.isSymbolicLink() ? 'is a link' : 'is not what shelf put there'
    throw new CliError('files', `${path} ${kind}. Nothing was changed.`, {
      hint: 'Remove it, then run the same command again.',
    })
  }
}

/** Null where the file is missing; `undefined` for one that is too large or no JSON. */
export async function readState(path: string): Promise<unknown> {
  const size = (await lookAt(path))?.size ?? 0
  if (size > STATE_BYTES_MAX) return undefined
  const text = await unlessMissing(readFile(path, 'utf8'))
  return text === null ? null : (parseJsonOrNull(text) ?? undefined)
}

/** Names that a store could not have installed are refused here too: they may lead out of the folder. */
export function requireOwnNames(paths: Iterable<string>, folder: string, file: string, hint: string): void {
  const [fault] = findUnfitNames(paths, folder)
  if (fault !== undefined)
    throw new CliError('files', `${file} names a file that shelf cannot have installed: ${fault}`, { hint })
}

export async function readRecord(folder: string): Promise<InstallRecord | null> {
  await requireOwnState(folder)
  const { record } = statePaths(folder)
  const content = await readState(record)
  if (content === null) return null
  const hint = `Remove it and run "shelf get" again: files that are still right are not fetched again.`
  if (!Value.Check(InstallRecord, content)) throw new CliError('files', `${record} is damaged.`, { hint })
  requireOwnNames(
    content.files.map(({ path }) => path),
    folder,
    record,
    hint,
  )
  return content
}

export async function writeRecord(folder: string, record: InstallRecord): Promise<void> {
  const paths = statePaths(folder)
  await mkdir(paths.state, { recursive: true })
  await writeDurably(paths.record, JSON.stringify(record))
}

/** The contents of the installed build; none where they are missing or damaged, which only costs more bytes. */
export async function readInstalledContents(folder: string): Promise<ContentsEntry[]> {
  const { contents } = statePaths(folder)
  if (((await lookAt(contents))?.size ?? 0) > CONTENTS_BYTES_MAX) return []
  const bytes = await unlessMissing(readFile(contents))
  return bytes === null ? [] : await decodeContents(bytes).catch(() => [])
}
