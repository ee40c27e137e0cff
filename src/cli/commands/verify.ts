import { open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'

import type { Provenance } from '../../features/builds/scans/model.ts'
import { plural } from '../../lib/text/plural.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import type { ApiClient } from '../api/client.ts'
import { CliError } from '../cli-error.ts'
import { type Context, createClient, readAllSettings, type ServerFlags } from '../context.ts'
import { hashZipEntries, openZip } from '../pack/zip-entries.ts'
import { findShelfJson } from '../settings/shelf-json.ts'
import { verifyInstalled } from './verify-installed.ts'
import { verifySigned } from './verify-signed.ts'

type Entry = Provenance['entries'][number]

const PAGE_SIZE = 50
const SHOWN_MAX = 20

interface VerifyOptions extends ServerFlags {
  file?: string
  repair?: boolean
  limitRate?: number
}

/** A file is a zip; anything else is the name of an installed game. */
export async function verify(context: Context, subject: string, options: VerifyOptions): Promise<void> {
  const { repair = false, limitRate, ...flags } = options
  const found = await stat(resolve(context.cwd, subject)).catch(() => null)
  const isZip = flags.file !== undefined || (!repair && (found?.isFile() ?? /\.zip$/i.test(subject)))
  if (isZip) return await verifyZip(context, subject, flags)
  await verifyInstalled(context, subject, { repair, limitRate, server: flags.server })
}

/** Compares a zip and every file in it with what the store says about it in public. */
async function verifyZip(
  context: Context,
  zip: string,
  { file: fileUid, ...flags }: ServerFlags & { file?: string },
): Promise<void> {
  const { cwd, output } = context
  const { server, game } = await readAllSettings(context, flags, await findShelfJson(cwd))
  if (fileUid === undefined) {
    const { checksum } = await readLocal(context, resolve(cwd, zip))
    return await verifySigned(context, createClient(context, server, null), {
      zip,
      checksum,
      game: flags.game ?? null,
    })
  }
  if (game === null)
    throw new CliError('usage', 'The game is not known.', { hint: 'Use --game, or name it in shelf.json.' })
  const api = createClient(context, server, null)
  const { checksum, entries } = await readProvenance(api, game, fileUid)
  const local = await readLocal(context, resolve(cwd, zip))
  const differences = [
    ...(local.checksum === checksum
      ? []
      : [`the zip: SHA-256 is ${local.checksum}, the store says ${checksum}`]),
    ...compareEntries(local.entries, entries),
  ]
  if (differences.length > 0) {
    const more = differences.length > SHOWN_MAX ? [`and ${differences.length - SHOWN_MAX} more`] : []
    const lines = [...differences.slice(0, SHOWN_MAX), ...more].map((line) => `  ${line}`)
    throw new CliError('different', `${zip} is not the file of the store:\n${lines.join('\n')}`)
  }
  output.result(
    `${zip} is the file of the store: SHA-256 ${checksum}, ${plural(entries.length, 'file')} inside.`,
  )
  output.json({ file_uid: fileUid, checksum, entries: entries.length, differences: [] })
}

async function readProvenance(api: ApiClient, game: string, fileUid: string): Promise<Provenance> {
  const path = `/api/v1/public/games/${encodeURIComponent(game)}/files/${encodeURIComponent(fileUid)}/provenance`
  const first = await api.call<Provenance>(path, { query: { page: 1, page_size: PAGE_SIZE } })
  const entries = [...first.entries]
  for (let page = 2; entries.length < first.entries_total; page += 1) {
    const next = await api.call<Provenance>(path, { query: { page, page_size: PAGE_SIZE } })
    if (next.entries.length === 0) break
    entries.push(...next.entries)
  }
  return { ...first, entries }
}

async function readLocal(
  { output, signal }: Context,
  path: string,
): Promise<{ checksum: string; entries: Entry[] }> {
  await using handle = await open(path, 'r')
  const { size } = await handle.stat()
  using phase = output.phase('reading', path, size)
  const reader = openZip(handle, size)
  const checksum = new Bun.CryptoHasher('sha256')
  for await (const piece of reader.stream(0, size)) {
    signal.throwIfAborted()
    checksum.update(piece)
    phase.advance(piece.length)
  }
  try {
    return { checksum: checksum.digest('hex'), entries: await hashZipEntries(reader) }
  } catch (error) {
    if (error instanceof ZipError) throw new CliError('different', `${path} is damaged: ${error.message}`)
    throw error
  }
}

function compareEntries(local: readonly Entry[], stored: readonly Entry[]): string[] {
  const known = new Map(stored.map((entry) => [entry.path, entry]))
  const present = new Set(local.map(({ path }) => path))
  return [
    ...local.flatMap(({ path, size, sha256 }) => {
      const entry = known.get(path)
      if (!entry) return [`${path}: not in the store's file`]
      return entry.size === size && entry.sha256 === sha256 ? [] : [`${path}: other content`]
    }),
    ...stored.filter(({ path }) => !present.has(path)).map(({ path }) => `${path}: missing in the zip`),
  ]
}
