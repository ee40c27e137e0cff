import { t } from 'elysia'

import { SECOND_FACTOR_POLICIES } from '../../domain/second-factor.ts'
import { OneOf } from '../../http/input/schema.ts'

export const StoreSettings = t.Object({
  second_factor: OneOf(SECOND_FACTOR_POLICIES, {
    description:
      'Who must have a passkey or an authenticator app: nobody, those who run the store, or everyone who publishes too.',
  }),
})
export type StoreSettings = typeof StoreSettings.static

/** Null brings the default of a field back. */
export const SettingsPatch = t.Object(
  { second_factor: t.Optional(t.Nullable(OneOf(SECOND_FACTOR_POLICIES))) },
  { additionalProperties: false },
)
export type SettingsPatch = typeof SettingsPatch.static
