import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { failsWith } from '../../http/openapi/failures.ts'
import { Envelope, ok } from '../../http/output/envelope.ts'
import { Decided, Decision } from '../builds/channels/model.ts'
import { decideApproval } from './approvals.ts'

const tags = ['Builds']

export function approvalRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'approvals', prefix: '/api/v1' })
    .use(kit)
    .post(
      '/private/approvals/:token',
      async ({ actor, params, body }) =>
        ok(await decideApproval(deps, actor, { token: params.token }, body.decision)),
      {
        limit: 'accounts',
        website: true,
        secondFactor: 'always',
        body: Decision,
        response: Envelope(Decided),
        detail: {
          tags,
          summary: 'Approve or reject the request of a program, with the token from the mail',
          ...failsWith('taken'),
        },
      },
    )
}
