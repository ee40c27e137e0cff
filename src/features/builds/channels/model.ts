import { t } from 'elysia'

import { CHANNEL_MOVES } from '../../../domain/builds/channels.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { Moment, OneOf, Strict, Uid } from '../../../http/input/schema.ts'
import { appFields } from '../model.ts'

const slotFields = {
  channel: t.String({ examples: ['stable'] }),
  ...appFields,
  os: OneOf(OPERATING_SYSTEMS),
  arch: OneOf(ARCHITECTURES),
}
const Version = t.String({ examples: ['1.2.0'] })
const MovedBy = t.String({
  description: 'A username, a program and the person it acted for, a deploy key, or the store itself.',
  examples: ['ada', 'Release helper for ada'],
})

/** The build that a channel points at on one platform. */
export const Channel = t.Object({
  ...slotFields,
  build_id: Uid,
  version: Version,
  moved_at: Moment,
  moved_by: MovedBy,
  previous_build_id: t.Nullable({ ...Uid, description: 'The build it pointed at before.' }),
})
export type Channel = typeof Channel.static

export const Move = t.Object({
  uid: Uid,
  ...slotFields,
  kind: OneOf(CHANNEL_MOVES),
  from_build_id: t.Nullable(Uid),
  from_version: t.Nullable(Version),
  to_build_id: t.Nullable({ ...Uid, description: 'null once the build is deleted.' }),
  to_version: Version,
  moved_at: Moment,
  moved_by: MovedBy,
})
export type Move = typeof Move.static

const App = t.Optional(t.String({ description: 'Defaults to the main app.', examples: ['main'] }))

export const Promotion = Strict({ build_id: t.String(), app: App })
export type Promotion = typeof Promotion.static

export const Rollback = Strict({ app: App })
export type Rollback = typeof Rollback.static

export const RolledBack = t.Object({
  items: t.Array(Channel, { description: 'The platforms that changed.' }),
})
export type RolledBack = typeof RolledBack.static

/** An agent asked for stable; the owner has to approve. */
export const Pending = t.Object({ approval: t.Literal('pending') })

const DECISIONS = ['approve', 'reject'] as const
export const Decision = Strict({ decision: OneOf(DECISIONS) })
export type Decision = (typeof DECISIONS)[number]

export const Decided = t.Object({ approval: OneOf(['approved', 'rejected']) })
export type Decided = typeof Decided.static
