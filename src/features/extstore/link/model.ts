import { t } from 'elysia'

import { Moment, Strict } from '../../../http/input/schema.ts'

/** Stands for all players in `extstore_revocations`: every token of the game issued until then is revoked. */
export const EVERY_PLAYER = '*'

export const WebApiKeyBody = Strict({
  web_api_key: t.String({
    description: 'A publisher key of the external store that covers the app: 32 of `0-9A-F`.',
  }),
})

export const Settings = t.Object({
  app_id: t.String({ description: 'The app of the external store.' }),
  enabled: t.Boolean({ description: 'Can players sign in?' }),
  auth_key_last4: t.Nullable(
    t.String({ description: 'The last four characters of the auth key; null while sign-in is off.' }),
  ),
  ticket_key: t.Nullable(
    t.String({
      description: 'The identity for which a game requests its tickets; null while sign-in is off.',
    }),
  ),
  has_web_api_key: t.Boolean(),
  urls: t.Object({
    auth: t.String(),
    refresh: t.String(),
    verify: t.String(),
    revoke: t.String(),
    ownership: t.String({ description: 'Replace `{extstore_id}` with the account id.' }),
  }),
  linked_at: Moment,
  last_sync_at: t.Nullable(Moment),
})
export type Settings = typeof Settings.static

export const AuthKey = t.Object({ auth_key: t.String({ minLength: 128, maxLength: 128 }) })
export type AuthKey = typeof AuthKey.static
