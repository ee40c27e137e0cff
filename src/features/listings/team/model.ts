import { t } from 'elysia'

import { Moment, OneOf, Strict, Uid } from '../../../http/input/schema.ts'
import { USERNAME_PATTERN, USERNAME_RULE } from '../../accounts/model.ts'
import { personFields } from '../../accounts/profile/model.ts'

export const ADMINS_MAX = 20
const ADMIN_STATES = ['invited', 'accepted'] as const

export const Admin = t.Object({
  user_uid: Uid,
  ...personFields,
  state: OneOf(ADMIN_STATES),
  invited_at: Moment,
  accepted_at: t.Nullable(Moment),
})
export type Admin = typeof Admin.static

export const AdminInput = Strict({
  username: t.String({
    pattern: USERNAME_PATTERN,
    error: USERNAME_RULE,
  }),
})
export type AdminInput = typeof AdminInput.static

/** What ended with a removed admin, and what they may still have. Empty in most cases. */
export const Removed = t.Object({
  deploy_keys: t.Optional(
    t.Array(t.Object({ last4: t.String(), created_at: Moment }), {
      description: 'The deploy keys that they issued, which are revoked now.',
    }),
  ),
  publishers: t.Optional(
    t.Array(
      t.Object({
        repository: t.String({ examples: ['moss/garden'] }),
        workflow: t.Nullable(t.String()),
        ref: t.Nullable(t.String()),
      }),
      { description: 'The trusted publishers that they added, which are removed now.' },
    ),
  ),
  extstore_auth_key_last4: t.Optional(
    t.String({
      description:
        'The end of the auth key of sign-in, which admins can read and which still works. Renew it to revoke it.',
    }),
  ),
})
export type Removed = typeof Removed.static

/** The same invitation, as the invited person sees it. */
export const Invite = t.Object({
  uid: Uid,
  game: t.Object({
    uid: Uid,
    vanity_name: t.String(),
    name: t.String(),
  }),
  invited_by: t.String({ description: 'The username of the owner.' }),
  created_at: Moment,
  accepted_at: t.Nullable(Moment),
})
export type Invite = typeof Invite.static
