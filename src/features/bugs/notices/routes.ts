import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { BugNotices, NoticesAck, NoticesAcked } from './model.ts'
import { acknowledgeNotices, listNotices } from './service.ts'

const tags = ['Bug reports']

export function noticeRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'bug-notices', prefix: '/api/v1/games/:game_uid/bugs/notices' })
    .use(kit)
    .get('', async ({ actor, params }) => ok(await listNotices(deps, actor, params.game_uid)), {
      limit: 'bug_notices',
      reporter: true,
      response: Envelope(BugNotices),
      detail: { tags, summary: 'Which of the player’s reports were fixed, until acknowledged' },
    })
    .post(
      '/ack',
      async ({ actor, params, body }) =>
        ok(await acknowledgeNotices(deps, actor, params.game_uid, body.uids)),
      {
        limit: 'bug_notices',
        reporter: true,
        body: NoticesAck,
        response: Envelope(NoticesAcked),
        detail: { tags, summary: 'Acknowledge notices; unknown ones are ignored' },
      },
    )
}
