import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { BugReporter, BugReporterEdit } from './model.ts'
import { changeReporter, getReporter, renewSigningKey } from './service.ts'

const tags = ['Bugs']

export function bugReporterRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'bug-reporter', prefix: '/api/v1/private/games/:uid/bug-reporter' })
    .use(kit)
    .get('', async ({ actor, params }) => ok(await getReporter(deps, actor, params.uid)), {
      website: true,
      response: Envelope(BugReporter),
      detail: { tags, summary: 'The bug reporter’s settings' },
    })
    .put(
      '',
      async ({ actor, params, body }) => {
        const input = await BugReporterEdit.settle(body, () => getReporter(deps, actor, params.uid))
        return ok(await changeReporter(deps, actor, params.uid, input))
      },
      {
        website: true,
        body: BugReporterEdit.body,
        response: Envelope(BugReporter),
        detail: { tags, summary: 'Change the bug reporter’s settings', ...failsWith('email_not_verified') },
      },
    )
    .post('/signing-key', async ({ actor, params }) => ok(await renewSigningKey(deps, actor, params.uid)), {
      website: true,
      response: Envelope(BugReporter),
      detail: { tags, summary: 'Replace the signing key; older signatures and screenshot URLs end' },
    })
}
