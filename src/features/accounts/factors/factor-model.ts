import { t } from 'elysia'

import { Integer, Moment, Uid } from '../../../http/input/schema.ts'
import { LABEL_MAX } from '../model.ts'

export const PASSKEYS_MAX = 20
const closed = { additionalProperties: false }

export const Passkey = t.Object({
  uid: Uid,
  name: t.String(),
  created_at: Moment,
  last_used_at: t.Nullable(Moment),
})
export type Passkey = typeof Passkey.static

export const TrustedBrowser = t.Object({
  uid: Uid,
  browser: t.String(),
  last_used_at: Moment,
  expires_at: Moment,
})
export type TrustedBrowser = typeof TrustedBrowser.static

export const Provider = t.Object({
  id: t.String(),
  name: t.String(),
  connected_at: t.Nullable(Moment, { description: 'null: it does not sign in to this account.' }),
})

export const Factors = t.Object({
  second_factor: t.Boolean({ description: 'Whether a password alone no longer signs in.' }),
  required: t.Boolean({ description: 'Whether the store asks this account for a second factor.' }),
  authenticator_app: t.Boolean(),
  recovery_codes_left: Integer({ minimum: 0 }),
  passkeys: t.Array(Passkey),
  trusted_browsers: t.Array(TrustedBrowser),
  providers: t.Array(Provider, { description: 'Those that the store offers to sign in by.' }),
  passkeys_off: t.Nullable(t.String(), {
    description: 'Why passkeys cannot be used at this address, and what to do; null where they can.',
  }),
  confirmed_until: t.Nullable(Moment, {
    description: 'Until when this session needs no further confirmation; null: it needs one.',
  }),
})
export type Factors = typeof Factors.static

export const NewAuthenticator = t.Object({
  secret: t.String({ description: 'For apps that take no picture, in base32.' }),
  address: t.String({ description: 'What the QR code says.' }),
  qr_svg: t.String({ description: 'The QR code as an SVG picture.' }),
})
export type NewAuthenticator = typeof NewAuthenticator.static

const CODE_MAX = 64

export const CodeInput = t.Object({ code: t.String({ minLength: 1, maxLength: CODE_MAX }) }, closed)

export const RecoveryCodes = t.Object({
  recovery_codes: t.Array(t.String(), { description: 'Shown once. Each signs in once without the device.' }),
})
export type RecoveryCodes = typeof RecoveryCodes.static

export const PasskeyPatch = t.Object({ name: t.String({ minLength: 1, maxLength: LABEL_MAX }) }, closed)

/** One of them. */
export const Proof = t.Object(
  {
    password: t.Optional(t.String({ minLength: 1, maxLength: 256 })),
    code: t.Optional(
      t.String({ minLength: 1, maxLength: CODE_MAX, description: 'Of the authenticator app.' }),
    ),
  },
  closed,
)
export type Proof = typeof Proof.static

export const Confirmation = t.Object({ confirmed_until: Moment })
export type Confirmation = typeof Confirmation.static
