import { t } from 'elysia'

import { Moment, Strict, writable } from '../../../http/input/schema.ts'

const allowed = t.Nullable(
  t.Boolean({
    description: 'Whether the game may keep its saves in the account; null: the player is asked.',
  }),
)

const account = t.String({
  description:
    'Stands for this account in this game alone. A page that was opened by another account refuses the answer.',
})

export const SaveChoice = t.Object({
  account,
  enabled: t.Boolean({ description: 'Whether the game keeps saves at all.' }),
  allowed,
})
export type SaveChoice = typeof SaveChoice.static

/** Accepts the answer as it was read. */
export const SaveChoiceEdit = writable(Strict({ allowed }), SaveChoice)

export const SaveToken = t.Object({
  account,
  token: t.String({ description: 'Opens the saves of this game and nothing else.' }),
  expires_at: Moment,
})
export type SaveToken = typeof SaveToken.static

/** What the page of a player's saves says of the browser. */
export type WebUse = {
  /** Whether the game is played in the browser. */
  isPlayed: boolean
  allowed: boolean | null
}
