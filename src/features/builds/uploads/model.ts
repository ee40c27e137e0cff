import { t } from 'elysia'

import { UPLOAD_SOURCES } from '../../../domain/builds/files.ts'
import { Integer, Moment, OneOf, Strict, Uid } from '../../../http/input/schema.ts'
import { appFields } from '../model.ts'

export const FILE_BYTES_MAX = 5 * 1024 ** 3
export const FILENAME_MAX = 255
export const OPEN_SESSIONS_MAX = 8
export const SESSION_MS = 6 * 60 * 60 * 1000
/** Clients should send files up to SINGLE_BYTES_MAX in one request, larger ones in chunks of CHUNK_BYTES. */
export const CHUNK_BYTES = 16 * 1024 ** 2
export const SINGLE_BYTES_MAX = 64 * 1024 ** 2
/** Limits of one copy request. */
const COPY_RANGES_MAX = 2000
export const COPY_BYTES_MAX = 1024 ** 3

/** The response to a completed upload. */
export const UploadedFile = t.Object({
  file_uid: Uid,
  build_id: Uid,
  filename: t.String(),
  size: Integer(),
  checksum: t.String({ description: 'SHA-256 of the zip in lowercase hex, without a prefix.' }),
  scan: t.Literal('scanning'),
  ...appFields,
})
export type UploadedFile = typeof UploadedFile.static

export const UploadSession = t.Object({
  session_id: Uid,
  expected_size: Integer(),
  current_size: Integer({ description: 'The offset of the next chunk.' }),
  expires_at: Moment,
  file_uid: t.Nullable(Uid, { description: 'Set once the upload is complete.' }),
  base_file_uid: t.Nullable(Uid, { description: 'The file whose bytes can be copied into this one.' }),
})
export type UploadSession = typeof UploadSession.static

/** An upload that can be continued. */
export const OpenSession = t.Object({
  ...UploadSession.properties,
  build_id: Uid,
  filename: t.String({ examples: ['lantern-keeper-linux.zip'] }),
  checksum: t.Nullable(t.String(), {
    description:
      'SHA-256 of the zip in lowercase hex, without a prefix; null if it comes with the last chunk.',
  }),
  source: OneOf(UPLOAD_SOURCES),
  created_at: Moment,
})
export type OpenSession = typeof OpenSession.static

/** The game of a deploy key, and how its files are to be sent. */
export const UploadProject = t.Object({
  game_uid: Uid,
  vanity_name: t.String({ examples: ['lantern-keeper'] }),
  name: t.String({ examples: ['Lantern Keeper'] }),
  upload_url: t.String({ description: 'The address that takes files, without a slash at its end.' }),
  chunk_size: Integer({ description: 'Bytes of a chunk.' }),
  single_limit: Integer({ description: 'Larger files are sent in chunks.' }),
})
export type UploadProject = typeof UploadProject.static

const Offset = (description: string) => Integer({ minimum: 0, maximum: FILE_BYTES_MAX, description })

/** Ranges of the base file to append to the session. */
export const CopyRanges = Strict({
  ranges: t.Array(
    Strict({
      at: Offset('Where the bytes belong in the new file: where the range before it ends.'),
      from: Offset('Where they are in the base.'),
      length: Integer({ minimum: 1, maximum: FILE_BYTES_MAX }),
    }),
    { minItems: 1, maxItems: COPY_RANGES_MAX },
  ),
  checksum: t.Optional(
    t.String({ description: 'With the last ranges of a session that was opened without a checksum.' }),
  ),
})
export type CopyRanges = typeof CopyRanges.static
export type CopyRange = CopyRanges['ranges'][number]
