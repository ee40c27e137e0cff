import { t } from 'elysia'

import { Integer, Uid } from '../../../http/schema.ts'

export const FILE_BYTES_MAX = 5 * 1024 ** 3
export const FILENAME_MAX = 255
export const OPEN_SESSIONS_MAX = 8
export const SESSION_MS = 6 * 60 * 60 * 1000

const Moment = t.String({ format: 'date-time' })

/** The response to a completed upload. */
export const UploadedFile = t.Object({
  file_uid: Uid,
  build_id: Uid,
  filename: t.String(),
  size: Integer(),
  checksum: t.String({ description: 'SHA-256 of the zip in lowercase hex, without a prefix.' }),
  scan: t.Literal('scanning'),
})
export type UploadedFile = typeof UploadedFile.static

export const UploadSession = t.Object({
  session_id: Uid,
  expected_size: Integer(),
  current_size: Integer({ description: 'The offset of the next chunk.' }),
  expires_at: Moment,
  file_uid: t.Nullable(Uid, { description: 'Set once the upload is complete.' }),
})
export type UploadSession = typeof UploadSession.static
