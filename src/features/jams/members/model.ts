import { t } from 'elysia'

import { Moment, Strict } from '../../../http/input/schema.ts'

export const JoinInput = Strict({
  code: t.Optional(t.String({ maxLength: 100, description: 'Of a jam by invitation.' })),
})
export type JoinInput = typeof JoinInput.static

export const Participant = t.Object({
  username: t.String({ examples: ['marta'] }),
  display_name: t.String(),
  picture: t.Nullable(t.String({ format: 'uri' })),
  since: Moment,
})
export type Participant = typeof Participant.static
