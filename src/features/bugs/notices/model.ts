import { t } from 'elysia'

import { Integer, Moment, Uid } from '../../../http/input/schema.ts'

const NOTICES_PER_ACK = 100

export const BugNotice = t.Object({
  uid: Uid,
  ticket_uid: Uid,
  excerpt: t.String({ description: 'The beginning of the report.' }),
  fixed_in_version: t.Nullable(t.String({ examples: ['1.4.2'] })),
  fixed_at: Moment,
})
export type BugNotice = typeof BugNotice.static

export const BugNotices = t.Object({ notices: t.Array(BugNotice) })
export type BugNotices = typeof BugNotices.static

export const NoticesAck = t.Object(
  { uids: t.Array(t.String(), { maxItems: NOTICES_PER_ACK, description: 'Of the notices that were read.' }) },
  { additionalProperties: false },
)
export type NoticesAck = typeof NoticesAck.static

export const NoticesAcked = t.Object({ acknowledged: Integer({ minimum: 0 }) })
export type NoticesAcked = typeof NoticesAcked.static
