import { t } from 'elysia'

import { CHANNEL_PATTERN } from '../../../domain/builds/channels.ts'
import { JAM_REF_MAX } from '../../../domain/jams/entries.ts'
import { Integer, Moment, Strict } from '../../../http/input/schema.ts'

const Jam = t.String({
  minLength: 1,
  maxLength: JAM_REF_MAX,
  description: 'A jam by slug or uid: its version of the game, without a licence, for those who see the jam.',
  examples: ['lighthouse-jam'],
})

export const PlayInput = Strict({
  channel: t.Optional(t.String({ pattern: CHANNEL_PATTERN, examples: ['beta'] })),
  jam: t.Optional(Jam),
})

export const PlayLink = t.Object({
  url: t.String({ format: 'uri', description: 'Opens the game once; it then stays open for twelve hours.' }),
  expires_at: Moment,
})
export type PlayLink = typeof PlayLink.static

export const Heartbeat = Strict({
  session_id: t.String({ minLength: 1, maxLength: 64, examples: ['s-41'] }),
  jam: t.Optional(Jam),
})

export const PlayTime = t.Object({ play_minutes: Integer({ minimum: 0 }) })
export type PlayTime = typeof PlayTime.static
