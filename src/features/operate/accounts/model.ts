import { t } from 'elysia'

import { Integer, Joined, Moment, PageQuery, Uid } from '../../../http/input/schema.ts'
import { EMAIL_MAX } from '../../../lib/text/names.ts'
import { personFields } from '../../accounts/profile/model.ts'
import { Reason } from '../model.ts'

const closed = { additionalProperties: false }
const STORAGE_LIMIT_MAX = 1024 ** 5

export const AccountQuery = Joined([
  PageQuery,
  t.Object({
    q: t.Optional(t.String({ description: 'A part of a username, name or e-mail address, or a uid.' })),
    suspended: t.Optional(t.String({ description: '`true`: only suspended ones.' })),
  }),
])

export const OperatorAccount = t.Object({
  uid: Uid,
  ...personFields,
  has_profile: t.Boolean({ description: 'Whether it shows a name, a picture or a text of its own.' }),
  name: t.String(),
  email: t.String(),
  email_verified: t.Boolean(),
  operator: t.Boolean(),
  second_factor: t.Boolean({ description: 'Whether it has a passkey or an authenticator app.' }),
  suspended: t.Nullable(t.Object({ at: Moment, reason: t.Nullable(t.String()) })),
  listings: Integer({ minimum: 0 }),
  storage_limit: t.Nullable(Integer({ minimum: 0 }), {
    description: 'Bytes that its listings may store; null: the limit of every account.',
  }),
  created_at: Moment,
})
export type OperatorAccount = typeof OperatorAccount.static

export const StorageLimitInput = t.Object(
  {
    limit: t.Nullable(Integer({ minimum: 0, maximum: STORAGE_LIMIT_MAX }), {
      description: 'Bytes; null: the limit of every account again.',
    }),
    reason: t.Optional(Reason),
  },
  closed,
)
export type StorageLimitInput = typeof StorageLimitInput.static

export const COUNT_MAX = 100
export const USES_MAX = 1000

export const InvitationsInput = t.Object(
  {
    count: t.Optional(
      Integer({ minimum: 1, maximum: COUNT_MAX, description: 'How many codes; 1 unless told.' }),
    ),
    uses: t.Optional(
      Integer({
        minimum: 1,
        maximum: USES_MAX,
        description: 'How many accounts each lets in; 1 unless told.',
      }),
    ),
    expires_at: t.Optional(t.Nullable(Moment)),
  },
  closed,
)
export type InvitationsInput = typeof InvitationsInput.static

export const Invitation = t.Object({
  uid: Uid,
  hint: t.String({ description: 'The first characters of the code.' }),
  email: t.Nullable(t.String({ description: 'The only address that may use it.' })),
  uses: Integer(),
  used: Integer(),
  expires_at: t.Nullable(Moment),
  created_at: Moment,
})
export type Invitation = typeof Invitation.static

export const NewInvitations = t.Object({
  codes: t.Array(t.String({ description: 'Shown only here.' })),
  invites: t.Array(Invitation),
})
export type NewInvitations = typeof NewInvitations.static

export const AccountInput = t.Object({ email: t.String({ maxLength: EMAIL_MAX }) }, closed)
