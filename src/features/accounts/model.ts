import { t } from 'elysia'

import { PLAYER_SCOPES } from '../../domain/actor.ts'
import { Integer, Joined, Moment, OneOf, Strict, Uid, writable } from '../../http/input/schema.ts'
import { personFields, profileFields, profileInput } from './profile/model.ts'

export const USERNAME_MAX = 32
export const USERNAME_LETTERS = `3 to ${USERNAME_MAX} characters of a-z, 0-9 and -`
export const USERNAME_PATTERN = `^[a-z0-9-]{3,${USERNAME_MAX}}$`
export const USERNAME_RULE = `must have ${USERNAME_LETTERS}`
export const LABEL_MAX = 80
export const HIDDEN_TAGS_MAX = 50
export const PLAYER_KEYS_MAX = 50

export const Me = t.Object({
  uid: Uid,
  ...personFields,
  ...profileFields,
  featured: t.Nullable(Uid),
  email: t.String(),
  email_verified: t.Boolean(),
  developer_mode: t.Boolean(),
  adult_content: t.Boolean(),
  hidden_tags: t.Array(t.String(), {
    description: 'Listings with one of these tags are left out of search and shelves.',
  }),
  follow_library: t.Boolean({
    description: 'Whether the releases of what is added to the library are followed.',
  }),
  extstore_id: t.Nullable(t.String()),
})
export type Me = typeof Me.static

export const MePatch = Strict({
  username: t.Optional(
    t.String({
      pattern: USERNAME_PATTERN,
      error: USERNAME_RULE,
    }),
  ),
  ...profileInput,
  developer_mode: t.Optional(t.Boolean()),
  adult_content: t.Optional(t.Boolean()),
  hidden_tags: t.Optional(t.Array(t.String(), { maxItems: HIDDEN_TAGS_MAX })),
  follow_library: t.Optional(t.Boolean()),
})
export type MePatch = typeof MePatch.static
export const MeEdit = writable(MePatch, Me)

const Scopes = t.Array(OneOf(PLAYER_SCOPES), {
  minItems: 1,
  maxItems: PLAYER_SCOPES.length,
  uniqueItems: true,
})

export const PlayerKeyInput = Strict({
  label: t.String({ minLength: 1, maxLength: LABEL_MAX }),
  scopes: t.Optional(Scopes),
})
export type PlayerKeyInput = typeof PlayerKeyInput.static

export const PlayerKey = t.Object({
  uid: Uid,
  label: t.String(),
  last4: t.String(),
  scopes: t.Array(t.String()),
  created_at: Moment,
  last_used_at: t.Nullable(Moment),
})
export type PlayerKey = typeof PlayerKey.static

export const Program = t.Object({
  client_id: t.String(),
  name: t.String(),
  scopes: t.Array(t.String()),
  connected_at: Moment,
  last_used_at: t.Nullable(Moment),
})
export type Program = typeof Program.static

export const NewPlayerKey = Joined([PlayerKey, t.Object({ key: t.String() })])
export type NewPlayerKey = typeof NewPlayerKey.static

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

const Provider = t.Object({
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

/** Exactly one of the two is needed. */
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
