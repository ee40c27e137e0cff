import { t } from 'elysia'

import { Integer, Joined, Moment, Uid } from '../../../http/input/schema.ts'

export const KEYS_PER_BATCH_MAX = 1000
export const OPEN_KEYS_MAX = 10_000
/** The most batches of a game without a redeemed key. */
export const UNUSED_BATCHES_MAX = 1000
export const KEY_LABEL_MAX = 80
/** Redemptions that a list of batches shows for each. */
export const REDEMPTIONS_SHOWN = 100
const CODE_TYPED_MAX = 200

const closed = { additionalProperties: false }

export const KeysInput = t.Object(
  {
    count: Integer({ minimum: 1, maximum: KEYS_PER_BATCH_MAX }),
    label: t.String({
      minLength: 1,
      maxLength: KEY_LABEL_MAX,
      pattern: '\\S',
      description: 'Whom they are for. Only owner and admins see it.',
      examples: ['Press, spring'],
    }),
    edition_uid: t.Optional(Uid),
    expires_at: t.Optional(Moment),
  },
  closed,
)
export type KeysInput = typeof KeysInput.static

const Redemption = t.Object({
  username: t.Nullable(t.String({ description: 'Null once the account is deleted.' })),
  redeemed_at: Moment,
})
export type Redemption = typeof Redemption.static

export const KeyBatch = t.Object(
  {
    uid: Uid,
    label: t.String({ examples: ['Press, spring'] }),
    edition: t.Nullable(t.Object({ uid: Uid, name: t.String({ examples: ['Deluxe'] }) })),
    count: Integer({ description: 'How many were made.' }),
    open: Integer({ description: 'How many can be redeemed.' }),
    redeemed: Integer(),
    created_at: Moment,
    created_by: t.Nullable(t.String({ description: 'A username.' })),
    expires_at: t.Nullable(Moment),
    ended_at: t.Nullable(Moment, { description: 'When owner or admins ended it.' }),
    redemptions: t.Array(Redemption, { description: `The newest ${REDEMPTIONS_SHOWN}.` }),
  },
  { $id: 'KeyBatch' },
)
export type KeyBatch = typeof KeyBatch.static

export const NewKeys = Joined([
  KeyBatch,
  t.Object({
    codes: t.Array(t.String({ examples: ['7Q2MX-04KTB-9ZRWA-C5HVE'] }), { description: 'Shown only here.' }),
  }),
])
export type NewKeys = typeof NewKeys.static

export const RedeemInput = t.Object(
  {
    code: t.String({
      maxLength: CODE_TYPED_MAX,
      description: 'In any case; spaces and dashes are ignored, O is 0, I and L are 1.',
      examples: ['7Q2MX-04KTB-9ZRWA-C5HVE'],
    }),
  },
  closed,
)
export type RedeemInput = typeof RedeemInput.static
