import { t } from 'elysia'

import { Integer, Moment, Strict } from '../../../http/input/schema.ts'

export const EVENTS_MAX = 100
export const METADATA_KEYS_MAX = 32
const METADATA_TEXT_MAX = 256

const GameEvent = Strict({
  name: t.String({
    pattern: '^[a-z0-9_.]{1,64}$',
    error: 'must have 1 to 64 characters of a-z, 0-9, _ and dots',
    description: 'Standard names: boot_ok, session_start, session_end, heartbeat, crash.',
    examples: ['boot_ok'],
  }),
  device_id: t.String({ minLength: 1, maxLength: 128, examples: ['b6f1c1de'] }),
  session_id: t.String({ minLength: 1, maxLength: 128, examples: ['s-41'] }),
  at: Moment,
  metadata: t.Optional(
    t.Record(t.String(), t.Union([t.String({ maxLength: METADATA_TEXT_MAX }), t.Number(), t.Boolean()]), {
      maxProperties: METADATA_KEYS_MAX,
    }),
  ),
})
export type GameEvent = typeof GameEvent.static

export const GameEvents = Strict({ events: t.Array(GameEvent, { minItems: 1, maxItems: EVENTS_MAX }) })
export type GameEvents = typeof GameEvents.static

export const Accepted = t.Object({ accepted: Integer({ minimum: 0, examples: [1] }) })
export type Accepted = typeof Accepted.static
