import { t } from 'elysia'

import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { SHELF_KINDS } from '../../../domain/listings/shelves.ts'
import { OneOf } from '../../../http/input/schema.ts'
import { Card } from '../pages/model.ts'

export const SHELF_SIZE = 12

export const ShelfQuery = t.Object({
  show_hidden: t.Optional(
    t.String({ description: 'true: also with the tags that the reader always hides.', examples: ['true'] }),
  ),
  os: t.Optional(
    t.String({
      description: `One of ${OPERATING_SYSTEMS.join(', ')}; anything else means any.`,
      examples: ['linux'],
    }),
  ),
})

export const Shelf = t.Object({
  kind: OneOf(SHELF_KINDS),
  date: t.String({ format: 'date', description: 'The day this order is for.', examples: ['2026-01-31'] }),
  os: t.Nullable(OneOf(OPERATING_SYSTEMS)),
  items: t.Array(Card, { maxItems: SHELF_SIZE }),
})
export type Shelf = typeof Shelf.static
