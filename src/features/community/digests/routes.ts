import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { NoticeSettings, NoticeSettingsEdit } from './model.ts'
import { getNoticeSettings, updateNoticeSettings } from './settings.ts'

const tags = ['Notices']

/** How people are mailed about notices. */
export function digestRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'digests', prefix: '/api/v1/private/notices/settings' })
    .use(kit)
    .get('', async ({ actor }) => ok(await getNoticeSettings(deps, actor.userUid)), {
      websiteOrPlayer: 'player:read',
      response: Envelope(NoticeSettings),
      detail: { tags, summary: 'Which notices are mailed, and when digests come' },
    })
    .patch(
      '',
      async ({ actor: { userUid }, body }) => {
        const patch = await NoticeSettingsEdit.settle(body, () => getNoticeSettings(deps, userUid))
        return ok(await updateNoticeSettings(deps, userUid, patch))
      },
      {
        websiteOrPlayer: 'player:library',
        limit: 'account_write',
        body: NoticeSettingsEdit.body,
        response: Envelope(NoticeSettings),
        detail: {
          tags,
          summary: 'Change which notices are mailed, and when digests come',
          description: 'What is not sent stays as it is.',
        },
      },
    )
}
