import { t } from 'elysia'

import { TICKET_SOURCES, TICKET_STATUSES } from '../../../domain/bugs.ts'
import {
  Integer,
  Joined,
  Moment,
  OneOf,
  PageQuery,
  Strict,
  Uid,
  writable,
} from '../../../http/input/schema.ts'

export const FIXED_IN_MAX = 32
export const NOTE_MAX = 4000

const Status = OneOf(TICKET_STATUSES)
const text = (description: string) => t.Nullable(t.String({ description }))

export const TicketQuery = Joined([PageQuery, t.Object({ status: t.Optional(Status) })])

/** Message, versions and log were written by players and are untrusted. */
export const Ticket = t.Object({
  ticket_uid: Uid,
  status: Status,
  message: t.String(),
  client_version: text('As the game sent it.'),
  os: text('As the game sent it.'),
  arch: text('As the game sent it.'),
  build_id: text('As the game sent it; the build may be gone.'),
  has_log: t.Boolean(),
  screenshot_url: text('Works for an hour.'),
  source: OneOf(TICKET_SOURCES),
  reporter: t.Object({
    username: text('null for a player without an account, or whose account was deleted.'),
    extstore_id: text('The account of the external store.'),
  }),
  fixed_in_version: t.Nullable(t.String()),
  created_at: Moment,
  updated_at: Moment,
})
export type Ticket = typeof Ticket.static

export const TicketEvent = t.Object({
  uid: Uid,
  at: Moment,
  by: t.String({ description: 'A username, or a program and whom it acted for.', examples: ['ada'] }),
  from_status: t.Nullable(Status),
  to_status: Status,
  fixed_in_version: t.Nullable(t.String()),
  note: t.Nullable(t.String()),
})
export type TicketEvent = typeof TicketEvent.static

/** One ticket with its log and history. */
export const TicketDetails = Joined([
  Ticket,
  t.Object({ log: t.Nullable(t.String()), history: t.Array(TicketEvent, { description: 'Oldest first.' }) }),
])
export type TicketDetails = typeof TicketDetails.static

export const TicketPatch = Strict({
  status: t.Optional(Status),
  fixed_in_version: t.Optional(
    t.Nullable(
      t.String({
        maxLength: FIXED_IN_MAX,
        description: 'Shown to the reporter once the ticket is fixed.',
        examples: ['1.4.2'],
      }),
    ),
  ),
  note: t.Optional(
    t.String({
      maxLength: NOTE_MAX,
      description: 'Added to the history. Reporters do not see it.',
    }),
  ),
})
export type TicketPatch = typeof TicketPatch.static
export const TicketEdit = writable(TicketPatch, TicketDetails, { signedLinks: ['screenshot_url'] })

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

export const NoticesAck = Strict({
  uids: t.Array(t.String(), { maxItems: NOTICES_PER_ACK, description: 'Of the notices that were read.' }),
})
export type NoticesAck = typeof NoticesAck.static

export const NoticesAcked = t.Object({ acknowledged: Integer({ minimum: 0 }) })
export type NoticesAcked = typeof NoticesAcked.static
