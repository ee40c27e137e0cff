import { t } from 'elysia'

import { Moment } from '../../../http/input/schema.ts'
import { Developer } from '../../accounts/profile/model.ts'

export const LookAlike = t.Object({
  account: Developer,
  like: t.Nullable(Developer, { description: 'The developer; null: the store itself.' }),
  created_at: Moment,
})
export type LookAlike = typeof LookAlike.static
