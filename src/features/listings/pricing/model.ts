import { t } from 'elysia'

import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { Integer, Strict, Uid, writable } from '../../../http/input/schema.ts'

export const EDITION_NAME_MAX = 80
export const EDITIONS_MAX = 20

const { currency, min_price_cents: minimum, max_price_cents: maximum } = STORE_RULES

const EditionName = t.String({
  minLength: 1,
  maxLength: EDITION_NAME_MAX,
  pattern: '\\S',
})
const PaidPrice = Integer({
  minimum,
  maximum,
  error: `must be ${minimum} to ${maximum} US cents`,
})

export const EditionInput = Strict({
  name: EditionName,
  price_cents: PaidPrice,
  active: t.Optional(t.Boolean()),
})
export type EditionInput = typeof EditionInput.static

export const EditionPatch = t.Partial(EditionInput, { additionalProperties: false })
export type EditionPatch = typeof EditionPatch.static

/** A variant of a listing with its own price. */
export const Edition = t.Object(
  {
    uid: Uid,
    name: t.String({ examples: ['Deluxe'] }),
    price_cents: Integer({ examples: [1499] }),
    active: t.Boolean(),
    created_at: t.String({ format: 'date-time' }),
  },
  { $id: 'Edition' },
)
export type Edition = typeof Edition.static
export const EditionEdit = writable(EditionPatch, Edition)

export const Price = t.Object(
  {
    cents: Integer({ minimum: 0, examples: [999] }),
    currency: t.Literal(currency),
    free: t.Boolean(),
  },
  { $id: 'Price' },
)
export type Price = typeof Price.static

export const AnonymousDownloadsInput = Strict({
  enabled: t.Boolean(),
  confirm_no_license: t.Optional(t.Boolean()),
})
export type AnonymousDownloadsInput = typeof AnonymousDownloadsInput.static

export const AnonymousDownloads = t.Object({ enabled: t.Boolean() })
export type AnonymousDownloads = typeof AnonymousDownloads.static
