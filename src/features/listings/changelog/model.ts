import { t } from 'elysia'

import { Uid } from '../../../http/schema.ts'

export const TITLE_MAX = 120
export const BODY_MAX = 8000
export const VERSION_MAX = 32

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
    version: t.Optional(
      t.String({
        minLength: 1,
        maxLength: VERSION_MAX,
        pattern: '\\S',
        error: `A version must have 1 to ${VERSION_MAX} characters.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type ChangelogInput = typeof ChangelogInput.static

export const ChangelogEntry = t.Object(
  {
    uid: Uid,
    title: t.String({ examples: ['The lamp turns again'] }),
    body: t.String({ description: 'Markdown, as it was written.' }),
    body_html: t.String(),
    version: t.Nullable(t.String({ examples: ['1.2.0'] })),
    created_at: t.String({ format: 'date-time' }),
  },
  { $id: 'ChangelogEntry' },
)
export type ChangelogEntry = typeof ChangelogEntry.static
