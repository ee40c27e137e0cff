import { t } from 'elysia'

import { LICENSE_KINDS } from '../../../domain/listings/licenses.ts'
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
