import { t } from 'elysia'

import { Moment, Strict } from '../../../http/input/schema.ts'
import { personFields } from '../../accounts/profile/model.ts'

export const JoinInput = Strict({
  code: t.Optional(t.String({ maxLength: 100, description: 'Of a jam by invitation.' })),
})
export type JoinInput = typeof JoinInput.static

export const Participant = t.Object({
  ...personFields,
  since: Moment,
})
export type Participant = typeof Participant.static
