import { t } from 'elysia'

export const Liveness = t.Object({ status: t.Literal('ok'), version: t.String() })

export const Readiness = t.Object({
  status: t.UnionEnum(['ready', 'degraded', 'down', 'stopping']),
  services: t.Array(
    t.Object({
      name: t.String({ examples: ['database'] }),
      using: t.String({ examples: ['postgres'] }),
      status: t.UnionEnum(['up', 'down']),
      required: t.Boolean(),
      latency_ms: t.Number(),
    }),
  ),
})
export type Readiness = typeof Readiness.static
