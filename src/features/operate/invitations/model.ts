import { t } from 'elysia'

import { Integer, Moment, Uid } from '../../../http/input/schema.ts'
import { EMAIL_MAX } from '../../../lib/text/email.ts'

export const COUNT_MAX = 100
export const USES_MAX = 1000
const closed = { additionalProperties: false }

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
