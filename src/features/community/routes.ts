import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { Envelope, ok, PageQuery } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { NoticeSettings, NoticeSettingsEdit } from './digests/model.ts'
import { getNoticeSettings, updateNoticeSettings } from './digests/settings.ts'
import { libraryRoutes } from './library/routes.ts'
import { Notices, NoticesQuery, NoticesRead, UnreadNotices } from './notices/model.ts'
import { markRead } from './notices/reads.ts'
import { listNotices, parseNotices } from './notices/service.ts'
import type { CountUnread } from './notices/unread.ts'
import { postRoutes, publicPostRoutes } from './posts/routes.ts'
import { Report, ReportInput } from './reports/model.ts'
import { reportPage } from './reports/service.ts'
import { reviewRoutes } from './reviews/routes.ts'
import {
  SuggestedTag,
  SuggestedTagEdit,
  SuggestedTagPage,
  SuggestionEdit,
  Suggestions,
} from './tags/model.ts'
import {
  listSuggestedTags,
  loadSuggestedTag,
  loadSuggestions,
  setTagHidden,
  suggestTags,
} from './tags/service.ts'

/** Libraries, notices, posts, reviews, reports and community tags. */
export function communityRoutes(kit: HttpKit, deps: Deps, countUnread: CountUnread) {
  return new Elysia({ name: 'community area' })
    .use(libraryRoutes(kit, deps))
    .use(noticeRoutes(kit, deps, countUnread))
    .use(digestRoutes(kit, deps))
    .use(postRoutes(kit, deps))
    .use(publicPostRoutes(kit, deps))
    .use(reviewRoutes(kit, deps))
    .use(reportRoutes(kit, deps))
    .use(communityTagRoutes(kit, deps))
}

function reportRoutes(kit: HttpKit, { db }: Deps) {
  return createRoutes(kit, { name: 'reports', prefix: '/api/v1/private/games/:uid', tags: ['Reports'] }).post(
    '/reports',
    async ({ actor, params, body, status }) => status(201, ok(await reportPage(db, actor, params.uid, body))),
    {
      website: true,
      limit: 'page_report',
      body: ReportInput,
      response: { 201: Envelope(Report) },
      summary: 'Report the page to the operators',
    },
  )
}

/** How people are mailed about notices. */
function digestRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'digests', prefix: '/api/v1/private/notices/settings', tags: ['Notices'] })
    .get('', async ({ actor }) => ok(await getNoticeSettings(deps, actor.userUid)), {
      websiteOrPlayer: 'player:read',
      response: Envelope(NoticeSettings),
      summary: 'Which notices are mailed, and when digests come',
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
        summary: 'Change which notices are mailed, and when digests come',
        description: 'What is not sent stays as it is.',
      },
    )
}

/** What happened that an account wants to hear of. */
function noticeRoutes(kit: HttpKit, deps: Deps, countUnread: CountUnread) {
  return createRoutes(kit, { name: 'notices', prefix: '/api/v1/private/notices', tags: ['Notices'] })
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
        summary: 'What happened to what the account follows, newest first',
        description: 'Of the last 90 days. Later pages show what had happened when the first one was read.',
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
        summary: 'Mark notices as read',
        description: 'Send uids or until. Marking what the account cannot see does nothing.',
      },
    )
}

function communityTagRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, {
    name: 'community-tags',
    prefix: '/api/v1/private/games/:uid',
    tags: ['Community tags'],
  })
    .get(
      '/tag-suggestions',
      async ({ actor, params }) => ok(await loadSuggestions(deps.db, actor, params.uid)),
      {
        website: true,
        response: Envelope(Suggestions),
        summary: 'Your suggested tags',
      },
    )
    .put(
      '/tag-suggestions',
      async ({ actor, params, body }) => {
        const { tags } = await SuggestionEdit.settle(body, () => loadSuggestions(deps.db, actor, params.uid))
        return ok(await suggestTags(deps, actor, params.uid, tags))
      },
      {
        website: true,
        body: SuggestionEdit.body,
        response: Envelope(Suggestions),
        summary: 'Replace your suggested tags',
      },
    )
    .get(
      '/community-tags',
      async ({ actor, params, query }) =>
        ok(await listSuggestedTags(deps.db, actor, params.uid, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(SuggestedTagPage),
        summary: 'Every suggested tag, most suggested first',
      },
    )
    .put(
      '/community-tags/:tag',
      async ({ actor, params: { uid, tag }, body }) => {
        const { hidden } = await SuggestedTagEdit.settle(body, () =>
          loadSuggestedTag(deps.db, actor, uid, tag),
        )
        return ok(await setTagHidden(deps, actor, uid, tag, hidden))
      },
      {
        website: true,
        body: SuggestedTagEdit.body,
        response: Envelope(SuggestedTag),
        summary: 'Hide a suggested tag, or show it again',
      },
    )
}
