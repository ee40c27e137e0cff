import { t } from 'elysia'

import { ASSET_TYPES } from '../../../domain/listings/listing.ts'
import { VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { Moment, OneOf, Uid } from '../../../http/input/schema.ts'

export const WaitingPublication = t.Object({
  uid: Uid,
  vanity_name: t.String(),
  name: t.String(),
  tagline: t.String(),
  asset_type: OneOf(ASSET_TYPES),
  adult: t.Boolean(),
  /** What the page becomes when it is approved. */
  visibility: OneOf(VISIBILITIES),
  asked_at: Moment,
  owner: t.Object({ uid: Uid, username: t.String() }),
})
export type WaitingPublication = typeof WaitingPublication.static
