import { t } from 'elysia'

import { PLAYER_SCOPES } from '../../domain/actor.ts'
import { Joined, Moment, OneOf, Uid } from '../../http/input/schema.ts'
import { writable } from '../../http/input/write-back.ts'

export const USERNAME_MAX = 32
export const USERNAME_LETTERS = `3 to ${USERNAME_MAX} characters of a-z, 0-9 and -`
export const USERNAME_PATTERN = `^[a-z0-9-]{3,${USERNAME_MAX}}$`
export const USERNAME_RULE = `must have ${USERNAME_LETTERS}`
export const LABEL_MAX = 80
export const HIDDEN_TAGS_MAX = 50
export const PLAYER_KEYS_MAX = 50

export const Me = t.Object({
  uid: Uid,
  username: t.String(),
  email: t.String(),
  email_verified: t.Boolean(),
  developer_mode: t.Boolean(),
  adult_content: t.Boolean(),
  hidden_tags: t.Array(t.String(), {
    description: 'Listings with one of these tags are left out of search and shelves.',
  }),
  extstore_id: t.Nullable(t.String()),
})
export type Me = typeof Me.static

export const MePatch = t.Object(
  {
    username: t.Optional(
      t.String({
        pattern: USERNAME_PATTERN,
        error: USERNAME_RULE,
      }),
    ),
    developer_mode: t.Optional(t.Boolean()),
    adult_content: t.Optional(t.Boolean()),
    hidden_tags: t.Optional(t.Array(t.String(), { maxItems: HIDDEN_TAGS_MAX })),
  },
  { additionalProperties: false },
)
export type MePatch = typeof MePatch.static
export const MeEdit = writable(MePatch, Me)

const Scopes = t.Array(OneOf(PLAYER_SCOPES), {
  minItems: 1,
  maxItems: PLAYER_SCOPES.length,
  uniqueItems: true,
})

export const PlayerKeyInput = t.Object(
  {
    label: t.String({ minLength: 1, maxLength: LABEL_MAX }),
    scopes: t.Optional(Scopes),
  },
  { additionalProperties: false },
)
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
