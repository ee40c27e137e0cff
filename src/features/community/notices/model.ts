import { t } from 'elysia'

import { NOTICE_KINDS, NOTICES_COUNTED_MAX, type ToldNotice } from '../../../domain/notices.ts'
import { Integer, Moment, OneOf, Strict, Uid } from '../../../http/input/schema.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../lib/paging.ts'
import { Developer } from '../../accounts/profile/model.ts'

const Url = t.String({ format: 'uri' })
/** How many notices are marked in one request. */
export const MARKED_MAX = 100

export const Notice = t.Object(
  {
    uid: Uid,
    kind: OneOf(NOTICE_KINDS),
    game: t.Nullable(
      t.Object({
        uid: Uid,
        name: t.String({ examples: ['Lantern Bay'] }),
        vanity_name: t.String({ examples: ['lantern-bay'] }),
        url: Url,
      }),
      { description: 'Null for what belongs to no listing.' },
    ),
    developer: t.Nullable(Developer, { description: 'Whose listing it is.' }),
    title: t.String({ examples: ['The lamp turns again'] }),
    text: t.Nullable(t.String(), { description: 'Plain text that explains the title.' }),
    url: t.String({ format: 'uri', description: 'The page it leads to.' }),
    at: Moment,
    read: t.Boolean(),
    count: Integer({
      minimum: 1,
      maximum: NOTICES_COUNTED_MAX,
      description: 'More than 1 where it stands for several events of the listing within a minute.',
    }),
  },
  { $id: 'Notice' },
)
export type Notice = typeof Notice.static

/** What a notice says now; nothing if it was deleted in the meantime. */
export type ReadNotice = (told: ToldNotice) => Notice[]

/** Declared as texts, so that invalid values are clamped or replaced by the default and never rejected. */
export const NoticesQuery = t.Object({
  unread: t.Optional(t.String({ description: 'true: only what was not read.', examples: ['true'] })),
  kind: t.Optional(
    t.String({
      description: `One of ${NOTICE_KINDS.join(', ')}; anything else means all.`,
      examples: ['release'],
    }),
  ),
  limit: t.Optional(
    t.String({ description: `1 to ${PAGE_SIZE_MAX}, ${PAGE_SIZE_DEFAULT} by default.`, examples: ['20'] }),
  ),
  cursor: t.Optional(
    t.String({ description: 'The `next_cursor` of the previous page; empty for the first page.' }),
  ),
})

export const Notices = t.Object({
  items: t.Array(Notice),
  unread: Integer({
    minimum: 0,
    maximum: NOTICES_COUNTED_MAX,
    description: 'How many were not read, of all kinds.',
  }),
  next_cursor: t.Nullable(t.String(), { description: 'Null on the last page.' }),
})
export type Notices = typeof Notices.static

export const NoticesRead = Strict({
  uids: t.Optional(t.Array(Uid, { minItems: 1, maxItems: MARKED_MAX })),
  until: t.Optional(
    t.String({
      format: 'date-time',
      description: 'Everything up to then, instead of uids.',
      examples: ['2026-01-31T12:00:00.000Z'],
    }),
  ),
})
export type NoticesRead = typeof NoticesRead.static

export const UnreadNotices = t.Object({ unread: Integer({ minimum: 0, maximum: NOTICES_COUNTED_MAX }) })
