import { t } from 'elysia'

import {
  CHANGELOG_ITEMS_MAX,
  DESCRIPTION_MAX,
  ITEM_DESCRIPTION_MAX,
  TITLE_MAX,
  VERSION_MAX,
} from '../../../domain/builds/build-fields.ts'
import { Strict, Uid, writable } from '../../../http/input/schema.ts'

/** The same as for a build, because its notes become an entry. */
export const BODY_MAX = DESCRIPTION_MAX

const Item = Strict({
  title: t.String({ minLength: 1, maxLength: TITLE_MAX, pattern: '\\S' }),
  description: t.Optional(t.String({ maxLength: ITEM_DESCRIPTION_MAX })),
})
const Version = t.String({ minLength: 1, maxLength: VERSION_MAX, pattern: '\\S' })

export const ChangelogInput = Strict({
  title: t.String({ minLength: 1, maxLength: TITLE_MAX, pattern: '\\S' }),
  body: t.String({ maxLength: BODY_MAX }),
  version: t.Optional(Version),
  items: t.Optional(t.Array(Item, { maxItems: CHANGELOG_ITEMS_MAX, description: 'The single changes.' })),
})
export type ChangelogInput = typeof ChangelogInput.static

/** Fields that are not sent stay as they are. */
export const ChangelogPatch = Strict({
  ...t.Partial(ChangelogInput).properties,
  version: t.Optional(t.Nullable(Version)),
})
export type ChangelogPatch = typeof ChangelogPatch.static

export const ChangelogEntry = t.Object(
  {
    uid: Uid,
    title: t.String({ examples: ['The lamp turns again'] }),
    body: t.String({ description: 'Markdown, as it was written.' }),
    body_html: t.String(),
    version: t.Nullable(t.String({ examples: ['1.2.0'] })),
    items: t.Array(t.Object({ title: t.String(), description: t.String() }), {
      description: 'The single changes of a release.',
    }),
    created_at: t.String({ format: 'date-time' }),
  },
  { $id: 'ChangelogEntry' },
)
export type ChangelogEntry = typeof ChangelogEntry.static

/** Accepts the read-only fields too, so that an entry that was read can be sent back. */
export const ChangelogEdit = writable(ChangelogPatch, ChangelogEntry)
