import { t } from 'elysia'

import {
  CHANGELOG_ITEMS_MAX,
  DESCRIPTION_MAX,
  ITEM_DESCRIPTION_MAX,
  TITLE_MAX,
  VERSION_MAX,
} from '../../../domain/build-fields.ts'
import { Uid } from '../../../http/schema.ts'

/** A build writes an entry, so its notes fit. */
export const BODY_MAX = DESCRIPTION_MAX

const Item = t.Object(
  {
    title: t.String({
      minLength: 1,
      maxLength: TITLE_MAX,
      pattern: '\\S',
      error: `The title of a change must have 1 to ${TITLE_MAX} characters.`,
    }),
    description: t.Optional(
      t.String({
        maxLength: ITEM_DESCRIPTION_MAX,
        error: `The description of a change must have at most ${ITEM_DESCRIPTION_MAX} characters.`,
      }),
    ),
  },
  { additionalProperties: false },
)

const versionError = `A version must have 1 to ${VERSION_MAX} characters.`
const Version = t.String({ minLength: 1, maxLength: VERSION_MAX, pattern: '\\S', error: versionError })

export const ChangelogInput = t.Object(
  {
    title: t.String({
      minLength: 1,
      maxLength: TITLE_MAX,
      pattern: '\\S',
      error: `A title must have 1 to ${TITLE_MAX} characters.`,
    }),
    body: t.String({
      maxLength: BODY_MAX,
      error: `The body must be Markdown of at most ${BODY_MAX} characters.`,
    }),
    version: t.Optional(Version),
    items: t.Optional(
      t.Array(Item, {
        maxItems: CHANGELOG_ITEMS_MAX,
        description: 'The single changes.',
        error: `An entry can have at most ${CHANGELOG_ITEMS_MAX} changes.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type ChangelogInput = typeof ChangelogInput.static

/** What is sent of an entry to change it; an entry that was read can be sent back. */
export const ChangelogPatch = t.Object(
  {
    ...t.Partial(ChangelogInput).properties,
    version: t.Optional(t.Nullable(Version, { error: `${versionError} null removes it.` })),
    uid: t.Optional(t.String({ error: 'uid cannot be changed.' })),
    body_html: t.Optional(t.String({ error: 'body_html cannot be changed.' })),
    created_at: t.Optional(t.String({ error: 'created_at cannot be changed.' })),
  },
  { additionalProperties: false },
)
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
