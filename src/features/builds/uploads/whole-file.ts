import type { Db } from '../../../db/client.ts'
import { objectKeyOfFile } from '../../../domain/builds/files.ts'
import { AppError } from '../../../errors.ts'
import type { Fields } from '../../../lib/form/multipart.ts'
import { createUid } from '../../../lib/ids.ts'
import { createSha256 } from '../../../lib/sha256/sha256.ts'
import { releaseObject } from '../../storage/service.ts'
import { requireBuildChannels } from '../deploy-keys/service.ts'
import { type BuildIdentification, findBuildForUpload, isIdentified } from '../registry/identify.ts'
import { requireScanRoom } from '../scans/jobs.ts'
import type { BuildRow } from '../shared-queries.ts'
import { fileTooLarge, parseChecksum, parseFilename, parseIdentification } from './fields.ts'
import { openIntake, openUploadForm, reserveUpload } from './form.ts'
import { FILE_BYTES_MAX, type UploadedFile } from './model.ts'
import { isOutcomeUnknown, recordFile } from './record.ts'
import { requireUploader, type Target, type Uploads } from './state.ts'

interface Received {
  filename: string
  size: number
  checksum: string
}

/** Receives a file as a form. Its fields may come before or after it; it is kept only if all of them are valid. */
export async function receiveWhole(
  uploads: Uploads,
  request: Request,
  target: Target,
  ended: AbortSignal,
): Promise<UploadedFile> {
  const { deps } = uploads
  const { objects } = deps
  const { gameUid, ownerUid: owner } = target
  const uploader = await requireUploader(deps.db, target)
  await requireScanRoom(deps.db, gameUid)
  await using held = new AsyncDisposableStack()
  held.use(await reserveUpload(deps, gameUid, request, FILE_BYTES_MAX))
  const uid = createUid()
  const objectKey = objectKeyOfFile(gameUid, uid)
  const form = openUploadForm(request, {
    objects,
    owner,
    maxBytes: FILE_BYTES_MAX,
    tooLarge: fileTooLarge,
    isWanted: ({ field, filename }) => field === 'file' && filename !== '',
    signal: ended,
  })
  let file: Received | null = null
  try {
    for await (const { filename, stream, slot } of form.files) {
      const name = parseFilename(filename)
      await rejectEarly(deps.db, target, form.fields)
      const hash = createSha256()
      const intake = openIntake(stream, { maxBytes: FILE_BYTES_MAX, tooLarge: fileTooLarge, hash })
      await objects.put(objectKey, intake.stream, { release: intake.release, owner, slot })
      file = { filename: name, size: hash.size, checksum: await hash.digest() }
    }
    if (!file)
      throw new AppError('file_missing', { message: 'The file is missing. Send it in the field "file".' })
    const build = await findBuild(deps.db, target, parseIdentification(form.fields))
    if (file.checksum !== parseChecksum(form.fields.get('checksum'))) throw new AppError('checksum_mismatch')
    const stored = { uid, objectKey, buildUid: build.uid, ...uploader, ...file }
    return await recordFile(deps, { ...stored, keyChannels: target.channels })
  } catch (error) {
    if (file && !isOutcomeUnknown(error)) await releaseObject(deps, objectKey)
    throw form.causeOf(error)
  }
}

/** Rejects invalid fields before gigabytes are received. */
async function rejectEarly(db: Db, target: Target, before: Fields): Promise<void> {
  if (before.has('checksum')) parseChecksum(before.get('checksum'))
  const identification = parseIdentification(before)
  if (isIdentified(identification)) await findBuild(db, target, identification)
}

async function findBuild(db: Db, target: Target, identification: BuildIdentification): Promise<BuildRow> {
  const build = await findBuildForUpload(db, target.gameUid, identification)
  await requireBuildChannels(db, target, build)
  return build
}
