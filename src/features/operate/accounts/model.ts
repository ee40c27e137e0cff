import { t } from 'elysia'

import { PageQuery } from '../../../http/input/paging.ts'
import { Integer, Joined, Moment, Uid } from '../../../http/input/schema.ts'
import { Reason } from '../model.ts'

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
  username: t.String(),
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
  { additionalProperties: false },
)
export type StorageLimitInput = typeof StorageLimitInput.static
