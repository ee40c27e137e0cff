import { t } from 'elysia'

import { SCAN_STATES } from '../../../domain/builds/files.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { ASSET_TYPES } from '../../../domain/listings/listing.ts'
import { VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { POST_STATES } from '../../../domain/posts.ts'
import { REPORT_REASONS, REPORT_STATES } from '../../../domain/reports.ts'
import { Integer, Joined, Moment, OneOf, PageQuery, Uid } from '../../../http/input/schema.ts'
import { appFields } from '../../builds/model.ts'
import { ScanEngine } from '../../builds/registry/model.ts'

const Named = { uid: Uid, username: t.String(), display_name: t.String() }

export const ListingQuery = Joined([
  PageQuery,
  t.Object({
    q: t.Optional(
      t.String({
        description: 'A part of a name, a username, or the uid of a listing, a file or its SHA-256.',
      }),
    ),
    taken_down: t.Optional(t.String({ description: '`true`: only those that are taken down.' })),
  }),
])

export const OperatorListing = t.Object({
  uid: Uid,
  vanity_name: t.String(),
  name: t.String(),
  asset_type: OneOf(ASSET_TYPES),
  visibility: OneOf(VISIBILITIES),
  taken_down: t.Nullable(
    t.Object({
      at: Moment,
      reason: t.String(),
      visibility: OneOf(VISIBILITIES, { description: 'What undoing it restores.' }),
    }),
  ),
  owner: t.Object({ ...Named, suspended: t.Boolean() }),
  open_reports: Integer({ minimum: 0 }),
  created_at: Moment,
})
export type OperatorListing = typeof OperatorListing.static

export const OperatorFile = t.Object({
  uid: Uid,
  filename: t.String(),
  size: Integer(),
  checksum: t.String(),
  ...appFields,
  version: t.String(),
  os: OneOf(OPERATING_SYSTEMS),
  arch: OneOf(ARCHITECTURES),
  scan: OneOf(SCAN_STATES),
  scan_engine: ScanEngine,
  scan_detail: t.Nullable(t.String()),
  uploaded_at: Moment,
  scanned_at: t.Nullable(Moment),
})
export type OperatorFile = typeof OperatorFile.static

export const ListingWithFiles = Joined([
  OperatorListing,
  t.Object({ files: t.Array(OperatorFile, { description: 'The newest hundred.' }) }),
])
export type ListingWithFiles = typeof ListingWithFiles.static

export const ReportQuery = Joined([
  PageQuery,
  t.Object({
    state: t.Optional(t.String({ description: `One of ${REPORT_STATES.join(', ')}; open by default.` })),
  }),
])

export const PageReport = t.Object({
  uid: Uid,
  reason: OneOf(REPORT_REASONS),
  text: t.String(),
  state: OneOf(REPORT_STATES),
  created_at: Moment,
  listing: t.Object({
    uid: Uid,
    vanity_name: t.String(),
    name: t.String(),
    taken_down: t.Boolean(),
  }),
  post: t.Nullable(t.Object({ uid: Uid, title: t.String(), slug: t.String(), taken_down: t.Boolean() })),
  reporter: t.Object(Named),
})
export type PageReport = typeof PageReport.static

export const OperatorPost = t.Object({
  uid: Uid,
  slug: t.String(),
  title: t.String(),
  html: t.String(),
  state: OneOf(POST_STATES),
  published_at: t.Nullable(Moment),
  taken_down: t.Nullable(t.Object({ at: Moment, reason: t.String() })),
  listing: t.Object({ uid: Uid, vanity_name: t.String(), name: t.String() }),
  owner: t.Object(Named),
  open_reports: Integer({ minimum: 0 }),
})
export type OperatorPost = typeof OperatorPost.static

export const WaitingPublication = t.Object({
  uid: Uid,
  vanity_name: t.String(),
  name: t.String(),
  tagline: t.String(),
  asset_type: OneOf(ASSET_TYPES),
  adult: t.Boolean(),
  /** The visibility that the page gets when it is approved. */
  visibility: OneOf(VISIBILITIES),
  asked_at: Moment,
  owner: t.Object(Named),
})
export type WaitingPublication = typeof WaitingPublication.static
