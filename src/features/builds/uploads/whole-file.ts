import type { WriteSlot } from '../../../clients/object-store/object-store.ts'
import { objectKeyOfFile } from '../../../domain/builds/files.ts'
import { AppError } from '../../../errors.ts'
import { createUid } from '../../../lib/ids.ts'
import { createSha256 } from '../../../lib/sha256/create.ts'
import { releaseObject } from '../../storage/service.ts'
import { requireBuildChannels } from '../deploy-keys/channels.ts'
import { type BuildIdentification, findBuildForUpload, isIdentified } from '../registry/identify.ts'
import type { BuildRow } from '../shared-queries.ts'
import { fileTooLarge, readChecksum, readFilename, readIdentification, type UploadFields } from './fields.ts'
import { openIntake } from './intake.ts'
import { FILE_BYTES_MAX, type UploadedFile } from './model.ts'
import { isOutcomeUnknown, recordFile } from './record.ts'
import type { Target, Uploader, Uploads } from './service.ts'

export interface SentFile {
  filename: string
  stream: ReadableStream<Uint8Array>
  slot: WriteSlot | null
}

/** Parses the form: calls `onFile` with the file and the fields before it, and returns all fields at the end. */
export type ReadForm = (
  onFile: (file: SentFile, before: UploadFields) => Promise<void>,
) => Promise<UploadFields>

interface Received {
  filename: string
  size: number
  checksum: string
}

/** Fields may come before or after the file; the file is stored only if all of them are valid. */
export async function uploadFile(
  { deps }: Uploads,
  uploader: Uploader,
  target: Target,
  readForm: ReadForm,
): Promise<UploadedFile> {
  const uid = createUid()
  const objectKey = objectKeyOfFile(uploader.gameUid, uid)
  const files: Received[] = []
  try {
    const fields = await readForm(async ({ filename, stream, slot }, before) => {
      const name = readFilename(filename)
      await rejectEarly(before)
      const hash = createSha256()
      const intake = openIntake(stream, { maxBytes: FILE_BYTES_MAX, tooLarge: fileTooLarge, hash })
      await deps.store.put(objectKey, intake.stream, {
        release: intake.release,
        owner: target.ownerUid,
        slot,
      })
      files.push({ filename: name, size: hash.size, checksum: await hash.digest() })
    })
    const [file] = files
    if (!file)
      throw new AppError('file_missing', { message: 'The file is missing. Send it in the field "file".' })
    const build = await findBuild(readIdentification(fields))
    if (file.checksum !== readChecksum(fields.get('checksum'))) throw new AppError('checksum_mismatch')
    const stored = { uid, objectKey, buildUid: build.uid, ...uploader, ...file }
    return await recordFile(deps, { ...stored, keyChannels: target.channels })
  } catch (error) {
    if (files.length > 0 && !isOutcomeUnknown(error)) await releaseObject(deps, objectKey)
    throw error
  }

  /** Rejects invalid fields before gigabytes are received. */
  async function rejectEarly(before: UploadFields): Promise<void> {
    if (before.has('checksum')) readChecksum(before.get('checksum'))
    const identification = readIdentification(before)
    if (isIdentified(identification)) await findBuild(identification)
  }

  async function findBuild(identification: BuildIdentification): Promise<BuildRow> {
    const build = await findBuildForUpload(deps.db, uploader.gameUid, identification)
    await requireBuildChannels(deps.db, target, build)
    return build
  }
}
