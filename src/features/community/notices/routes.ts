import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { Notices, NoticesQuery, NoticesRead, UnreadNotices } from './model.ts'
import { markRead } from './reads.ts'
import { listNotices, parseNotices } from './service.ts'
import type { CountUnread } from './unread.ts'

const tags = ['Notices']

/** What happened that an account wants to hear of. */
export function noticeRoutes(kit: HttpKit, deps: Deps, countUnread: CountUnread) {
  return new Elysia({ name: 'notices', prefix: '/api/v1/private/notices' })
    .use(kit)
    .get(
      '',
      async ({ actor, query }) => {
        const asked = parseNotices(query)
        const [{ items, nextCursor }, unread] = await Promise.all([
          listNotices(deps, actor.userUid, asked),
          countUnread(actor),
        ])
        return ok({ items, unread, next_cursor: nextCursor })
      },
      {
        websiteOrPlayer: 'player:read',
        query: NoticesQuery,
        response: Envelope(Notices),
        detail: {
          tags,
          summary: 'What happened to what the account follows, newest first',
          description: 'Of the last 90 days. Later pages show what had happened when the first one was read.',
        },
      },
    )
    .post(
      '/read',
      async ({ actor, body }) => {
        await markRead(deps, actor.userUid, body)
        return ok({ unread: await countUnread(actor) })
      },
      {
        websiteOrPlayer: 'player:library',
        limit: 'account_write',
        body: NoticesRead,
        response: Envelope(UnreadNotices),
        detail: {
          tags,
          summary: 'Mark notices as read',
          description: 'Send uids or until. Marking what the account cannot see does nothing.',
        },
      },
    )
}
