import { t } from 'elysia'

import { Integer, Moment, Uid } from '../../../http/input/schema.ts'

export const TOKEN_SECONDS = 60 * 60
/** How long after its expiry a token can still be exchanged for a new one. */
export const REFRESH_SECONDS = 24 * 60 * 60
/** Hex needs two characters per byte of the store's longest ticket. */
export const TICKET_MAX = 5120

const strict = { additionalProperties: false }
const Token = t.String({ description: 'The session token, a JWT.' })
const ExtstoreId = t.String({ description: 'A 64-bit account id of the external store.' })

export const TicketBody = t.Object(
  { ticket: t.String({ description: `Hex, at most ${TICKET_MAX} characters.` }) },
  strict,
)

export const RefreshBody = t.Object({ token: Token }, strict)

export const SignedIn = t.Object({
  token: Token,
  expires_at: Moment,
  extstore_id: ExtstoreId,
  family_shared: t.Boolean({ description: 'Is the game borrowed from someone else?' }),
  session_uid: Uid,
  svc_user_uid: t.Optional(t.String({ description: 'Only if the player linked the external account.' })),
})
export type SignedIn = typeof SignedIn.static

export const Claims = t.Object({
  iss: t.String(),
  aud: t.String({ examples: ['extstore:480'] }),
  gid: t.String({ description: 'The uid of the listing.' }),
  sub: ExtstoreId,
  osid: t.Optional(t.String({ description: 'The owner of the copy, if it is borrowed.' })),
  own: t.Literal(true),
  vac: t.Boolean({ description: 'Did the store report an anti-cheat ban at sign-in?' }),
  buid: t.Optional(t.String({ description: 'The player’s user id here, if the account was linked.' })),
  jti: t.String(),
  iat: Integer(),
  exp: Integer(),
})
export type Claims = typeof Claims.static

export const VerifyBody = t.Object(
  {
    token: Token,
    recheck_ownership: t.Optional(
      t.Boolean({ description: 'Ask the external store again; false by default.' }),
    ),
  },
  strict,
)
export type VerifyBody = typeof VerifyBody.static

export const Ownership = t.Object({
  owns_app: t.Boolean(),
  permanent: t.Boolean({ description: 'false for borrowed copies, free weekends and the like.' }),
  owner_extstore_id: t.String(),
  checked_at: Moment,
})
export type Ownership = typeof Ownership.static

export const Verified = t.Object({
  valid: t.Boolean({ description: 'Neither expired nor revoked.' }),
  expired: t.Boolean(),
  revoked: t.Boolean(),
  claims: Claims,
  svc_user: t.Optional(
    t.Object(
      { uid: t.String(), username: t.String() },
      { description: 'Only if the external account is linked now.' },
    ),
  ),
  ownership: t.Optional(Ownership),
})
export type Verified = typeof Verified.static

export const RevokeBody = t.Object(
  {
    jti: t.Optional(t.String({ description: 'One token.' })),
    extstore_id: t.Optional(t.String({ description: 'Every token of a player.' })),
  },
  { ...strict, description: 'Exactly one of the two.' },
)
export type RevokeBody = typeof RevokeBody.static

export const Revoked = t.Object({
  revoked: Integer({ minimum: 0, description: 'How many valid tokens were revoked.' }),
})
export type Revoked = typeof Revoked.static
