import { t } from 'elysia'

import { OneOf } from '../input/schema.ts'

export const Liveness = t.Object({ status: t.Literal('ok'), version: t.String() })

export const Readiness = t.Object({
  status: OneOf(['ready', 'degraded', 'down', 'stopping']),
  services: t.Array(
    t.Object({
      name: t.String({ examples: ['database'] }),
      using: t.String({ examples: ['postgres'] }),
      status: OneOf(['up', 'down']),
      required: t.Boolean(),
      latency_ms: t.Number(),
    }),
  ),
})
export type Readiness = typeof Readiness.static
