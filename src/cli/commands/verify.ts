import { open, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'

import { NO_ANTIVIRUS, type UploadSource } from '../../domain/builds/files.ts'
import { SCAN_PREDICATE, SLSA_PREDICATE, type Statement } from '../../domain/builds/statements.ts'
import type { Attestations, KeySet } from '../../features/builds/attestations/model.ts'
import type { FilesByChecksum, Provenance } from '../../features/builds/scans/model.ts'
import { type DsseEnvelope, keyIdOf, verifyEnvelope } from '../../lib/dsse.ts'
import { isObject } from '../../lib/field-readers.ts'
import { parseJson } from '../../lib/json.ts'
import { plural } from '../../lib/text/show.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import type { ApiClient } from '../api/client.ts'
import { CliError } from '../cli-error.ts'
import { type Context, createClient, loadAllSettings, type ServerFlags } from '../context.ts'
import { inspectFiles } from '../install/inspect.ts'
import { describeResult, install, toTarget } from '../install/install.ts'
import { findInstalled, reportKeptChanges, withInstall } from '../install/open.ts'
import { readRecord } from '../install/record.ts'
import { hashZipEntries, openZip } from '../pack/zip-entries.ts'
import { connectPlayer } from '../player/sign-in.ts'
import { readOwnFile, writeOwnFile } from '../settings/own-file.ts'
import { configFolder, findShelfJson } from '../settings/settings.ts'
import { showResult } from './get.ts'

const KeysFile = Type.Object({
  version: Type.Literal(1),
  stores: Type.Array(Type.Object({ server: Type.String(), key_id: Type.String() })),
})
type KeysFile = Static<typeof KeysFile>

/** The key of each store that was seen first, or that the store added while that one was still published. */
class KnownKeys {
  readonly path: string

  constructor(folder: string) {
    this.path = join(folder, 'known-keys.json')
  }

  /** `published`: newest first. Throws if the key that is remembered is not among them. */
  async check(server: string, published: readonly string[]): Promise<void> {
    const { stores } = await this.#read()
    const known = stores.find((store) => store.server === server)
    const [newest] = published
    if (newest === undefined)
      throw new CliError('different', `${server} publishes no key, so that nothing can be checked.`)
    if (known && !published.includes(known.key_id)) {
      throw new CliError(
        'different',
        `${server} signs with another key than before.\n  remembered ${known.key_id}\n  published  ${newest}`,
        {
          hint: `Ask its operator which one is right. To accept the new one, remove the store from ${this.path}.`,
        },
      )
    }
    if (known?.key_id === newest) return
    const others = stores.filter((store) => store.server !== server)
    await writeOwnFile(this.path, { version: 1, stores: [...others, { server, key_id: newest }] })
  }

  async #read(): Promise<KeysFile> {
    const damaged = () =>
      new CliError('different', `${this.path} is damaged, so that the key of the store is not known.`, {
        hint: 'Restore it, or remove it to remember the keys that are published now.',
      })
    return (await readOwnFile(this.path, KeysFile, damaged)) ?? { version: 1, stores: [] }
  }
}

interface VerifyInstalledOptions {
  repair: boolean
  limitRate: number | undefined
  /** Of the command line. */
  server: string | undefined
}

/** Reads every installed file; with `repair`, fetches what is broken or missing. */
async function verifyInstalled(
  context: Context,
  text: string,
  { repair, limitRate, server }: VerifyInstalledOptions,
): Promise<void> {
  const { output } = context
  const found = await findInstalled(context, text)
  const { folder } = found
  const check = async () => {
    const record = (await readRecord(folder)) ?? found.record
    const { files, game, version } = record
    using phase = output.phase(
      'checking',
      game.vanity_name,
      files.reduce((sum, { size }) => sum + size, 0),
    )
    const onFile = ({ size }: { size: number }) => {
      context.signal.throwIfAborted()
      phase.advance(size)
    }
    const states = await inspectFiles(folder, files, { isThorough: true, onFile })
    phase[Symbol.dispose]()
    const wrong = files.filter(({ path }) => states.get(path) !== 'intact').map(({ path }) => path)
    if (wrong.length === 0) {
      output.result(`${game.name} ${version} is complete: ${plural(files.length, 'file')} checked.`)
      output.json({ game: game.vanity_name, folder, version, files: files.length, wrong: [] })
      return
    }
    if (!repair) throw differs(game.name, wrong, states)
    const player = await connectPlayer(context, record.server, { isPatient: true, flag: server })
    const options = {
      player,
      target: toTarget(record),
      limitRate: limitRate ?? null,
      isRepair: true,
    } as const
    const result = await install(context, folder, options)
    reportKeptChanges(context, result.mine)
    output.result(`${plural(wrong.length, 'file')} repaired. ${describeResult(result)}`)
    output.json({ ...showResult(folder, result), repaired: wrong })
  }
  await withInstall(context, folder, check, repair ? 'exclusive' : 'shared')
}

function differs(name: string, wrong: readonly string[], states: ReadonlyMap<string, string>): CliError {
  const more = wrong.length > SHOWN_MAX ? [`and ${wrong.length - SHOWN_MAX} more`] : []
  const lines = wrong.slice(0, SHOWN_MAX).map((path) => `${path}: ${states.get(path)}`)
  const shown = [...lines, ...more].map((line) => `  ${line}`).join('\n')
  return new CliError('different', `${name} is not as it was installed:\n${shown}`, {
    hint: 'Fetch these files again with --repair; what you changed is kept beside them.',
  })
}

type FoundFile = FilesByChecksum['files'][number]

interface Verified {
  file: FoundFile
  keyId: string
  statements: Statement[]
}

/** Finds the file by its bytes, and checks what the store signed about it. */
async function verifySigned(
  { machine, output }: Context,
  api: ApiClient,
  { zip, checksum, game }: { zip: string; checksum: string; game: string | null },
): Promise<void> {
  const { files } = await api.call<FilesByChecksum>(`/api/v1/public/files/by-checksum/${checksum}`)
  const file = files.find((found) => game === null || found.vanity_name === game || found.game_uid === game)
  if (!file) {
    throw new CliError(
      'different',
      `${api.server} has no public file with the SHA-256 of ${zip}: ${checksum}.`,
    )
  }
  const keys = await fetchKeys(api)
  await new KnownKeys(configFolder(machine)).check(
    api.server,
    keys.map(({ kid }) => kid),
  )
  const verified = await fetchStatements(api, file, keys)
  output.result(
    [
      `${zip} is ${file.filename} of ${file.name} ${file.version}, as ${api.server} signed it.`,
      ...verified.statements.map(describe),
      `Key ${verified.keyId}`,
    ].join('\n'),
  )
  output.json({
    file_uid: file.file_uid,
    checksum,
    game: file.vanity_name,
    key_id: verified.keyId,
    statements: verified.statements,
    differences: [],
  })
}

/** Accepts only keys whose id matches their bytes, so that no other key can pass for a remembered one. */
async function fetchKeys(api: ApiClient): Promise<KeySet['keys']> {
  const { keys } = await api.call<KeySet>('/.well-known/playshelf/keys.json', { isPlain: true })
  const ids = await Promise.all(keys.map(({ x }) => keyIdOf(x)))
  return keys.filter(({ kid }, index) => ids[index] === kid)
}

async function fetchStatements(api: ApiClient, file: FoundFile, keys: KeySet['keys']): Promise<Verified> {
  const path = `/api/v1/public/games/${file.game_uid}/files/${file.file_uid}/attestation`
  const answer = await api.call<DsseEnvelope | Attestations>(path, { isPlain: true })
  const envelopes = 'attestations' in answer ? answer.attestations : [answer]
  const statements: Statement[] = []
  let keyId = ''
  for (const envelope of envelopes) {
    const signed = await verifyEnvelope(envelope, keys)
    const statement = signed && (parseJson(signed.text) as Statement)
    if (!signed || statement?.subject[0]?.digest.sha256 !== file.checksum) {
      throw new CliError(
        'different',
        `What ${api.server} says about ${file.filename} is not signed by a key that it publishes, or is about another file.`,
      )
    }
    statements.push(statement)
    ;({ keyId } = signed)
  }
  return { file, keyId, statements }
}

const UPLOAD_WAYS: Readonly<Partial<Record<UploadSource, string>>> = {
  deploy_key: 'with a deploy key',
  trusted_publisher: 'by a pipeline',
  website: 'on the website',
}

function describe({ predicateType, predicate }: Statement): string {
  const read = (...path: (string | number)[]) => parsePath(predicate, path)
  if (predicateType === SLSA_PREDICATE) {
    const [source, commit] = [
      read('buildDefinition', 'externalParameters', 'repository'),
      read('buildDefinition', 'resolvedDependencies', 0, 'digest', 'gitCommit'),
    ]
    const run = read('runDetails', 'metadata', 'invocationId') || read('runDetails', 'builder', 'id')
    return `Built by ${source} at ${commit} in ${run}`
  }
  if (predicateType === SCAN_PREDICATE) {
    const engine = read('engine')
    const check = engine === NO_ANTIVIRUS ? 'Checked without an antivirus' : `Scanned by ${engine}`
    const way = UPLOAD_WAYS[read('uploader') as UploadSource] ?? read('uploader')
    return `${check} at ${read('time')}: ${read('verdict')}; uploaded ${way} to ${read('channel')}`
  }
  return predicateType
}

function parsePath(value: unknown, path: readonly (string | number)[]): string {
  let found: unknown = value
  for (const part of path) {
    found = isObject(found) || Array.isArray(found) ? Reflect.get(found, part) : undefined
  }
  return typeof found === 'string' ? found : ''
}

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
  const { server, game } = await loadAllSettings(context, flags, await findShelfJson(cwd))
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
  const { checksum, entries } = await fetchProvenance(api, game, fileUid)
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

async function fetchProvenance(api: ApiClient, game: string, fileUid: string): Promise<Provenance> {
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
