import { t, type TSchema } from 'elysia'

import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../lib/paging.ts'
import { Integer } from './schema.ts'

/** Declared as texts, so that invalid values are clamped or replaced by the default and never rejected. */
export const PageQuery = t.Object({
  page: t.Optional(t.String({ description: 'From 1.', examples: ['1'] })),
  page_size: t.Optional(
    t.String({ description: `1 to ${PAGE_SIZE_MAX}, ${PAGE_SIZE_DEFAULT} by default.`, examples: ['20'] }),
  ),
})

export function Paged<Item extends TSchema>(item: Item) {
  return t.Object({
    items: t.Array(item),
    total: Integer({ minimum: 0 }),
    page: Integer({ minimum: 1 }),
    page_size: Integer({ minimum: 1, maximum: PAGE_SIZE_MAX }),
  })
}
