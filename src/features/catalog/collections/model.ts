import { t } from 'elysia'

import {
  COLLECTION_LISTINGS_MAX,
  COLLECTION_SLUG_MAX,
  COLLECTION_TEXT_MAX,
  COLLECTION_TITLE_MAX,
} from '../../../domain/collections.ts'
import { Joined, Moment, Uid } from '../../../http/input/schema.ts'
import { Card } from '../pages/model.ts'

const SLUG_PATTERN = `^[a-z0-9](?:[a-z0-9-]{0,${COLLECTION_SLUG_MAX - 2}}[a-z0-9])?$`
const url = { format: 'uri', examples: ['https://store.example/collections/rainy-days'] }

const fields = {
  slug: t.String({
    pattern: SLUG_PATTERN,
    examples: ['rainy-days'],
    error: `must have 1 to ${COLLECTION_SLUG_MAX} characters of a-z, 0-9 and -, and start and end with a letter or digit`,
  }),
  title: t.String({ minLength: 1, maxLength: COLLECTION_TITLE_MAX, examples: ['Rainy days'] }),
  text: t.String({ maxLength: COLLECTION_TEXT_MAX }),
  on_home: t.Boolean({ description: 'Whether the home page shows it.' }),
  from: t.Nullable(Moment, { description: 'From when on it is shown; null: at once.' }),
  until: t.Nullable(Moment, { description: 'Until when it is shown; null: until it is deleted.' }),
}

const { slug, title, text, on_home, from, until } = fields
export const CollectionSummary = t.Object({
  uid: Uid,
  slug,
  title,
  text,
  on_home,
  from,
  until,
  url: t.String(url),
  feed_url: t.String({ ...url, examples: [`${url.examples[0]}/feed.xml`] }),
})
export type CollectionSummary = typeof CollectionSummary.static

export const CollectionQuery = t.Object({
  show_hidden: t.Optional(
    t.String({ description: 'true: also with the tags that the reader always hides.', examples: ['true'] }),
  ),
})

export const Collection = Joined([
  CollectionSummary,
  t.Object({
    items: t.Array(Card, {
      maxItems: COLLECTION_LISTINGS_MAX,
      description: 'In the order that the operators chose; those that are no longer public are left out.',
    }),
  }),
])
export type Collection = typeof Collection.static

const closed = { additionalProperties: false }
const changeable = {
  slug: t.Optional(slug),
  text: t.Optional(text),
  games: t.Optional(
    t.Array(t.String({ examples: ['lantern-keep'] }), {
      maxItems: COLLECTION_LISTINGS_MAX,
      description: 'Uids or vanity names of public listings, in the order in which they are shown.',
    }),
  ),
  on_home: t.Optional(on_home),
  from: t.Optional(from),
  until: t.Optional(until),
}
/** The service cleans it and checks it like a name. */
const Title = t.String({
  description: `One line of 1 to ${COLLECTION_TITLE_MAX} characters.`,
  examples: ['Rainy days'],
})

/** Without a slug, it is derived from the title. */
export const CollectionInput = t.Object({ title: Title, ...changeable }, closed)
export const CollectionPatch = t.Object({ title: t.Optional(Title), ...changeable }, closed)
export type CollectionPatch = typeof CollectionPatch.static
