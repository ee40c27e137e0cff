import { t } from 'elysia'

import { Moment } from '../../../http/input/schema.ts'

export const JoinInput = t.Object(
  { code: t.Optional(t.String({ maxLength: 100, description: 'Of a jam by invitation.' })) },
  { additionalProperties: false },
)
export type JoinInput = typeof JoinInput.static

export const Participant = t.Object({
  username: t.String({ examples: ['marta'] }),
  display_name: t.String(),
  picture: t.Nullable(t.String({ format: 'uri' })),
  since: Moment,
})
export type Participant = typeof Participant.static
