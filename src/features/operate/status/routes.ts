import { Elysia } from 'elysia'

import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import type { Operate } from '../operate.ts'
import { Status } from './model.ts'
import { createStatusReader } from './service.ts'

export function operatorStatusRoutes(kit: HttpKit, operate: Operate) {
  const readStatus = createStatusReader(operate)
  return new Elysia({ name: 'operator-status', prefix: '/api/v1/operator' })
    .use(kit)
    .get('/status', async () => ok(await readStatus()), {
      operator: true,
      limit: 'operator',
      response: Envelope(Status),
      detail: { tags: ['Operators'], summary: 'How the store is doing' },
    })
}
