import type { WriteOptions } from '../../../clients/objects/object-store.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { DeployKey } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { peekStream } from '../../../lib/bytes/streams.ts'
import type { Fields } from '../../../lib/form/multipart.ts'
import { createUid } from '../../../lib/ids.ts'
import { show } from '../../../lib/text/show.ts'
import { discardObjects, releaseObject } from '../../storage/service.ts'
import { type ChangedBuild, type ChannelLimit, requireBuildChannels } from '../deploy-keys/service.ts'
import { requireBuild } from '../service.ts'
import { lockBuildRow } from '../shared-queries.ts'
import { openUploadForm } from '../uploads/form.ts'
import { type StoredSymbols, SYMBOLS_BYTES_MAX } from './model.ts'
import * as queries from './queries.ts'

/** The game, and the account whose share of the slots it uses. */
type Target = Pick<DeployKey, 'gameUid' | 'ownerUid' | 'channels'>

type StoredFile = Pick<queries.NewSymbols, 'module' | 'debugId' | 'filename' | 'size'>

const FILENAME_MAX = 255

/**
 * Receives a form with the file; its fields may come before or after it. Uploading a module of a build again replaces
 * it. A failed upload leaves nothing behind.
 */
export async function receiveSymbols(deps: Deps, request: Request, target: Target): Promise<StoredSymbols> {
  const { gameUid, ownerUid: owner } = target
  const uid = createUid()
  const objectKey = `symbols/${gameUid}/${uid}.sym`
  const form = openUploadForm(request, {
    objects: deps.objects,
    owner,
    maxBytes: SYMBOLS_BYTES_MAX,
    tooLarge: symbolsTooLarge,
    isWanted: ({ field }) => field === 'file',
  })
  let file: StoredFile | null = null
  try {
    for await (const { filename, stream, slot } of form.files) {
      requireSym(filename)
      // Fails before the file is received, if the build was named before it.
      if (nameOf(form.fields) !== undefined) await findBuild(deps.db, target, form.fields)
      const { module, debugId, stream: whole } = await openSymbolFile(stream)
      file = { module, debugId, filename, size: await store(deps, objectKey, whole, { owner, slot }) }
    }
    if (!file)
      throw new AppError('file_missing', { message: 'The file is missing. Send it in the field "file".' })
    const build = await findBuild(deps.db, target, form.fields)
    await record(deps, target, build, { ...file, uid, gameUid, buildUid: build.uid, objectKey })
    return { uid, module: file.module, debug_id: file.debugId }
  } catch (error) {
    // After any other error the row may still exist; if it does not, the hourly job deletes the object.
    if (file && error instanceof AppError) await releaseObject(deps, objectKey)
    throw form.causeOf(error)
  }
}

async function record(
  { db }: Deps,
  limit: ChannelLimit,
  build: ChangedBuild,
  symbols: queries.NewSymbols,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The lock serialises uploads of symbols for one build.
    const isThere = await lockBuildRow(tx, symbols.gameUid, symbols.buildUid, 'no key update')
    if (!isThere) throw new AppError('build_not_found')
    await requireBuildChannels(tx, limit, build)
    await discardObjects(tx, { keys: await queries.replaceSymbols(tx, symbols) })
  })
}

async function store(
  deps: Deps,
  key: string,
  stream: ReadableStream<Uint8Array>,
  options: WriteOptions,
): Promise<number> {
  try {
    return (await deps.objects.put(key, stream, { contentType: 'text/plain', ...options })).size
  } catch (cause) {
    if (cause instanceof AppError && ['upload_too_large', 'storage_full'].includes(cause.kind)) throw cause
    throw new AppError('symbols_not_stored', { cause })
  }
}

function requireSym(filename: string): void {
  if (/.\.sym$/i.test(filename) && filename.length <= FILENAME_MAX) return
  throw new AppError('upload_field_invalid', {
    message: `The file must be a .sym; it is called ${show(filename)}.`,
  })
}

function nameOf(fields: Fields): string | undefined {
  return fields.get('build_id') || fields.get('build')
}

async function findBuild(db: Db, target: Target, fields: Fields): Promise<ChangedBuild> {
  const uid = nameOf(fields)
  if (uid === undefined)
    throw new AppError('build_not_named', { message: 'The build of this file is not named. Send build_id.' })
  const build = await requireBuild(db, target.gameUid, uid)
  await requireBuildChannels(db, target, build)
  return build
}

/** The first line of a symbol file. */
interface ModuleLine {
  module: string
  debugId: string
}

interface SymbolFile extends ModuleLine {
  /** The whole file, including the first line. */
  stream: ReadableStream<Uint8Array>
}

const LINE_BYTES_MAX = 4096
const LINE_END = 0x0a
/** Rejects names with control characters: Postgres stores no NUL, and terminals interpret the others. */
const MODULE = /^MODULE (\S+) (\S+) ([0-9a-f]{1,64}) ([^\s\p{Cc}][^\p{Cc}]{0,254})$/iu

/** `MODULE <os> <arch> <debug id> <module name>`, as Breakpad writes it. */
function parseModuleLine(line: string): ModuleLine | null {
  const [, , , debugId, module] = MODULE.exec(line.trimEnd()) ?? []
  return debugId !== undefined && module !== undefined ? { debugId: debugId.toUpperCase(), module } : null
}

/** Reads only the first line; the stream delivers the rest, and errors when the file is too large. */
export async function openSymbolFile(source: ReadableStream<Uint8Array>): Promise<SymbolFile> {
  const isEnough = (head: Buffer) => head.includes(LINE_END) || head.length >= LINE_BYTES_MAX
  const { head, whole } = await peekStream(source, isEnough)
  const end = head.indexOf(LINE_END)
  const line = parseModuleLine(head.toString('utf8', 0, end === -1 ? LINE_BYTES_MAX : end))
  if (!line) {
    throw new AppError('upload_field_invalid', {
      message: 'The first line of a symbol file must be "MODULE <os> <arch> <debug id> <module name>".',
    })
  }
  return { ...line, stream: whole(SYMBOLS_BYTES_MAX, symbolsTooLarge) }
}

function symbolsTooLarge(): AppError {
  return new AppError('upload_too_large', {
    message: `The symbol file is larger than 512 MB (${SYMBOLS_BYTES_MAX} bytes).`,
  })
}
