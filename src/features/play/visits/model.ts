import { t } from 'elysia'

import { CHANNEL_PATTERN } from '../../../domain/builds/channels.ts'
import { Integer, Moment } from '../../../http/input/schema.ts'

export const PlayInput = t.Object(
  { channel: t.Optional(t.String({ pattern: CHANNEL_PATTERN, examples: ['beta'] })) },
  { additionalProperties: false },
)

export const PlayLink = t.Object({
  url: t.String({ format: 'uri', description: 'Opens the game once; it then stays open for twelve hours.' }),
  expires_at: Moment,
})
export type PlayLink = typeof PlayLink.static

export const Heartbeat = t.Object(
  { session_id: t.String({ minLength: 1, maxLength: 64, examples: ['s-41'] }) },
  { additionalProperties: false },
)

export const PlayTime = t.Object({ play_minutes: Integer({ minimum: 0 }) })
export type PlayTime = typeof PlayTime.static
