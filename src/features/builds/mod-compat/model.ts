import { t } from 'elysia'

import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { OneOf, Uid } from '../../../http/input/schema.ts'

/** From worst to best: the worst build decides. */
export const COMPAT_STATUSES = ['incompatible', 'unknown', 'compatible'] as const
export type CompatStatus = (typeof COMPAT_STATUSES)[number]

const Status = OneOf(COMPAT_STATUSES)

const CompatBuild = t.Object({
  channel: t.String({ examples: ['stable'] }),
  os: OneOf(OPERATING_SYSTEMS),
  arch: OneOf(ARCHITECTURES),
  build_id: Uid,
  version: t.String({ examples: ['1.2.0'] }),
  engine_version: t.Nullable(t.String({ examples: ['4.3'] })),
  status: Status,
})

/** Whether a mod or plugin works with the builds of its parent. */
export const ModCompat = t.Object(
  {
    status: OneOf(COMPAT_STATUSES, { description: 'The worst status among the builds.' }),
    builds: t.Array(CompatBuild, { description: 'The builds that the channels of the parent point at.' }),
  },
  { $id: 'ModCompat' },
)
export type ModCompat = typeof ModCompat.static
