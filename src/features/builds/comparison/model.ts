import { t } from 'elysia'

import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { LICENSE_KINDS } from '../../../domain/listings/listing.ts'
import { Integer, OneOf, Uid } from '../../../http/input/schema.ts'

export const PATHS_SHOWN = 5
export const MATCHES_MAX = 100

/** The developer's rights to an asset pack; problems come first. */
export const PACK_STATUSES = ['unlicensed', 'attribution', 'licensed', 'owned'] as const
export type PackStatus = (typeof PACK_STATUSES)[number]

const Match = t.Object({
  pack: t.Object({ uid: Uid, vanity_name: t.String(), name: t.String() }),
  status: OneOf(PACK_STATUSES),
  license_kind: t.Nullable(OneOf(LICENSE_KINDS)),
  files: t.Array(t.String(), {
    maxItems: PATHS_SHOWN,
    description: 'Some of the files that the build shares with the pack.',
  }),
  count: Integer({ minimum: 1, description: 'How many files they share.' }),
})

export const BundleCheck = t.Object({ matches: t.Array(Match, { maxItems: MATCHES_MAX }) })
export type BundleCheck = typeof BundleCheck.static

/** From worst to best: the worst build decides. */
export const COMPAT_STATUSES = ['incompatible', 'unknown', 'compatible'] as const
export type CompatStatus = (typeof COMPAT_STATUSES)[number]

const Status = OneOf(COMPAT_STATUSES)

const CompatBuild = t.Object({
  channel: t.String({ examples: ['stable'] }),
  os: OneOf(OPERATING_SYSTEMS),
  arch: OneOf(ARCHITECTURES),
  build_id: Uid,
  version: t.String({ examples: ['1.2.0'] }),
  engine_version: t.Nullable(t.String({ examples: ['4.3'] })),
  status: Status,
})

/** Whether a mod or plugin works with the builds of its parent. */
export const ModCompat = t.Object(
  {
    status: OneOf(COMPAT_STATUSES, { description: 'The worst status among the builds.' }),
    builds: t.Array(CompatBuild, { description: 'The builds that the channels of the parent point at.' }),
  },
  { $id: 'ModCompat' },
)
export type ModCompat = typeof ModCompat.static
