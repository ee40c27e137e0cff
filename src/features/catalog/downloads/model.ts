import { t } from 'elysia'

import { DOWNLOAD_SOURCES } from '../../../domain/builds/files.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { Integer, OneOf, PageQuery, Uid } from '../../../http/input/schema.ts'
import { appFields } from '../../builds/model.ts'

export const DAYS_DEFAULT = 30
export const DAYS_MAX = 90

export const DownloadLink = t.Object(
  {
    url: t.String({ description: 'A URL that works without credentials.' }),
    expires_at: t.String({ format: 'date-time' }),
    expires_in: Integer({ minimum: 0, description: 'Seconds.', examples: [300] }),
    filename: t.String({ examples: ['lighthouse-linux.zip'] }),
    checksum: t.String({ description: 'SHA-256 of the file in hex.' }),
    game_uid: Uid,
  },
  { $id: 'DownloadLink' },
)
export type DownloadLink = typeof DownloadLink.static

const DOWNLOAD_FORMS = ['zip', 'apk'] as const

export const DownloadQuery = t.Object({
  as: t.Optional(
    OneOf(DOWNLOAD_FORMS, {
      description: 'apk: the only .apk inside an Android build, by itself; without it the whole file.',
    }),
  ),
})
export type DownloadQuery = typeof DownloadQuery.static

export const CountsQuery = t.Object({
  ...PageQuery.properties,
  days: t.Optional(
    t.String({ description: `1 to ${DAYS_MAX}, ${DAYS_DEFAULT} by default; today counts as the first.` }),
  ),
})

/** The number of equal attempts on one day. */
export const DownloadCount = t.Object({
  day: t.String({ format: 'date' }),
  source: OneOf(DOWNLOAD_SOURCES),
  client: t.String(),
  country: t.Nullable(t.String()),
  outcome: Integer({ description: '200, or the error code.' }),
  count: Integer({ minimum: 1 }),
})
export type DownloadCount = typeof DownloadCount.static

/** The attempts to download one build. */
export const VersionCount = t.Object({
  build_id: Uid,
  ...appFields,
  version: t.String({ examples: ['1.2.0'] }),
  os: OneOf(OPERATING_SYSTEMS),
  arch: OneOf(ARCHITECTURES),
  channel: t.String({ examples: ['stable'] }),
  count: Integer({ minimum: 0, description: 'Downloads.' }),
  refused: Integer({ minimum: 0, description: 'Attempts that were refused.' }),
})
export type VersionCount = typeof VersionCount.static
