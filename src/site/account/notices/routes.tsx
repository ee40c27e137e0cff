import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { NoticesRead } from '../../../features/community/notices/model.ts'
import { markRead } from '../../../features/community/notices/reads.ts'
import { listNotices, parseNotices } from '../../../features/community/notices/service.ts'
import type { WatchNotices } from '../../../features/community/notices/watch.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { readForm } from '../../kit/form-state.ts'
import { type LiveStreams, sendEvents } from '../../kit/live/live-streams.ts'
import { parseNext } from '../../kit/next.ts'
import { type Act, atPage, ownPages, requireUser, type ShowPage } from '../../kit/pages.ts'
import { NoticesPage } from './notices-page.tsx'

const { view, submit } = ownPages

interface Parts {
  live: LiveStreams
  watchNotices: WatchNotices
}

/** What happened that a person wants to hear of. */
export function noticePages(kit: HttpKit, deps: Deps, { live, watchNotices }: Parts) {
  const showNotices: ShowPage<WebsiteUser> = async ({ userUid }, context) => {
    const state = atPage(context, '/notices')
    const asked = parseNotices(context.refused ? {} : state.query)
    const page = await listNotices(deps, userUid, asked)
    return <NoticesPage {...{ state, page }} kind={asked.kind} unreadOnly={asked.unreadOnly} />
  }

  const read: Act<WebsiteUser> = async ({ userUid }, form) => {
    await markRead(deps, userUid, readForm(NoticesRead, form))
    const next = new URL(parseNext(form.get('next'), '/notices'), deps.config.baseUrl)
    next.searchParams.set('done', 'read')
    return next.pathname + next.search
  }

  return createRoutes(kit, { name: 'notice-pages' })
    .get('/notices', view(showNotices), { page: true })
    .post('/notices/read', submit('notices', read, showNotices), { page: true, limit: 'account_write' })
    .get(
      '/notices/events',
      ({ visit, set }) => {
        const { userUid } = requireUser(visit.actor)
        return sendEvents(
          live.stream(userUid, (onChange) => watchNotices(userUid, onChange)),
          set,
        )
      },
      { page: true },
    )
}
