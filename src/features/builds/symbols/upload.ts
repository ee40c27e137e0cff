import type { WriteOptions } from '../../../clients/object-store/object-store.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { DeployKey } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { createUid } from '../../../lib/ids.ts'
import { show } from '../../../lib/text/show.ts'
import { discardObjects, releaseObject } from '../../storage/service.ts'
import { type ChangedBuild, type ChannelLimit, requireBuildChannels } from '../deploy-keys/channels.ts'
import { requireBuild } from '../service.ts'
import { lockBuildRow } from '../shared-queries.ts'
import type { UploadFormFile } from '../uploads/upload-form.ts'
import type { StoredSymbols } from './model.ts'
import * as queries from './queries.ts'
import { openSymbolFile } from './symbol-file.ts'

type Fields = ReadonlyMap<string, string>
type SentFile = Pick<UploadFormFile, 'filename' | 'stream' | 'slot'>

/** The game, and the account whose share of the slots it uses. */
type Target = Pick<DeployKey, 'gameUid' | 'ownerUid' | 'channels'>

/** Parses the form: calls `onFile` with the file and the fields before it, and returns all fields at the end. */
export type ReadForm = (onFile: (file: SentFile, before: Fields) => Promise<void>) => Promise<Fields>

type StoredFile = Pick<queries.NewSymbols, 'module' | 'debugId' | 'filename' | 'size'>

const FILENAME_MAX = 255

/** Uploading a module of a build again replaces it. A failed upload leaves nothing behind. */
export async function uploadSymbols(deps: Deps, target: Target, readForm: ReadForm): Promise<StoredSymbols> {
  const { gameUid, ownerUid: owner } = target
  const uid = createUid()
  const objectKey = `symbols/${gameUid}/${uid}.sym`
  const files: StoredFile[] = []
  try {
    const fields = await readForm(async ({ filename, stream, slot }, before) => {
      requireSym(filename)
      // Fails before the file is received, if the build was named before it.
      if (nameOf(before) !== undefined) await findBuild(deps.db, target, before)
      const file = await openSymbolFile(stream)
      const size = await store(deps, objectKey, file.stream, { owner, slot })
      files.push({ module: file.module, debugId: file.debugId, filename, size })
    })
    const [file] = files
    if (!file)
      throw new AppError('file_missing', { message: 'The file is missing. Send it in the field "file".' })
    const build = await findBuild(deps.db, target, fields)
    await record(deps, target, build, { ...file, uid, gameUid, buildUid: build.uid, objectKey })
    return { uid, module: file.module, debug_id: file.debugId }
  } catch (error) {
    // After any other error the row may still exist; if it does not, the hourly job deletes the object.
    if (files.length > 0 && error instanceof AppError) await releaseObject(deps, objectKey)
    throw error
  }
}

async function record(
  { db }: Deps,
  limit: ChannelLimit,
  build: ChangedBuild,
  symbols: queries.NewSymbols,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Symbols of one build are stored one after the other.
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
    return (await deps.store.put(key, stream, { contentType: 'text/plain', ...options })).size
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
