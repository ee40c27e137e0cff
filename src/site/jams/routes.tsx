import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { jamPath } from '../../domain/site-urls.ts'
import { listJamNews } from '../../features/jams/jams/news.ts'
import {
  createJam,
  findMakingFault,
  listJams,
  listOwnJams,
  loadJamForCalendar,
  parseJamState,
} from '../../features/jams/jams/service.ts'
import { joinJam, leaveJam, listParticipants } from '../../features/jams/members/service.ts'
import { settingsOf } from '../../features/settings/reader.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { sendFeed, sendText } from '../../http/output/pages.ts'
import { atAddress } from '../../http/visit.ts'
import { parsePage } from '../../lib/paging.ts'
import { writeNewsFeed } from '../crawlers/news-feed.ts'
import { maybeText } from '../kit/form-state.ts'
import { type Act, atPage, ownPages, type PageContext, publicPages, type ShowPage } from '../kit/pages.ts'
import { writeCalendar } from './calendar.ts'
import { openShownJam, openWholeJam } from './jam-frame.tsx'
import { JamPage, ParticipantsPage } from './jam-page.tsx'
import { JAM_SECTIONS, JamsPage } from './jams-page.tsx'
import { NewJamPage } from './manage-pages.tsx'
import { parseNewJam, placeCriteria } from './parse-jam-form.ts'

const { view } = publicPages
const internal = () => ({ open: true, detail: { hide: true } }) as const
const written = () => ({ page: true, limit: ['redeem', 'account_write'] }) as const
/** Of each state on the page of all, and of the names on the page of a jam. */
const PER_SECTION = '6'
const NAMES_SHOWN = '24'
const CALENDAR = '.ics'

/** The pages of jams that everyone can open, and how people join them. */
export function jamPages(kit: HttpKit, deps: Deps) {
  const { baseUrl } = deps.config
  const storeName = () => settingsOf(deps).storefront().settings.name

  const showAll: ShowPage = async (actor, context) => {
    const { query, visit: sent } = context
    const state = parseJamState(query.state)
    const visit = state === null ? atAddress(sent, `/jams${sent.url.search}`) : sent
    const page = parsePage({ page: query.page, ...(state === null && { page_size: PER_SECTION }) })
    const first = parsePage({ page_size: PER_SECTION })
    const shown = state === null ? JAM_SECTIONS : [state]
    const [sections, own] = await Promise.all([
      Promise.all(
        shown.map(async (each) => ({
          state: each,
          jams: await listJams(deps, each, state === null ? first : page),
        })),
      ),
      actor.kind === 'user' && state === null ? listOwnJams(deps, actor, first) : null,
    ])
    const canMake = actor.kind === 'user' && findMakingFault(visit.store.settings.jams, actor) === null
    return (
      <JamsPage
        {...{ visit, sections, canMake, own: own?.items ?? [], now: Date.now() }}
        canonical={`${baseUrl}/jams`}
      />
    )
  }

  const showJam: ShowPage = async (_, context) => {
    const shown = await openWholeJam(deps, context)
    const participants = await listParticipants(
      deps,
      context.visit.actor,
      shown.jam.uid,
      parsePage({ page_size: NAMES_SHOWN }),
    )
    const state = atPage(context, jamPath(shown.jam.slug))
    return <JamPage {...{ state, shown, participants }} />
  }

  const showParticipants: ShowPage = async (actor, context) => {
    const shown = await openShownJam(deps, context)
    const participants = await listParticipants(deps, actor, shown.jam.uid, parsePage(context.query))
    return <ParticipantsPage {...{ state: context, shown, participants }} />
  }

  const join: Act<WebsiteUser> = async (user, form, { params: { jam = '' } }) => {
    const code = maybeText(form, 'code')
    await joinJam(deps, user, jam, typeof code === 'string' ? code : undefined)
    return `${jamPath(jam)}?done=joined#joining`
  }

  const leave: Act<WebsiteUser> = async (user, _, { params: { jam = '' } }) => {
    await leaveJam(deps, user, jam)
    return `${jamPath(jam)}?done=left#joining`
  }

  const showNew: ShowPage<WebsiteUser> = (user, context) => {
    const fault = findMakingFault(context.visit.store.settings.jams, user)
    if (fault) throw fault
    return <NewJamPage state={atPage(context, '/jams/new')} />
  }

  const create: Act<WebsiteUser> = async (user, form) => {
    try {
      const { jam } = await createJam(deps, user, parseNewJam(form))
      return `${jamPath(jam.slug)}?done=created`
    } catch (error) {
      throw placeCriteria(error, form)
    }
  }

  const viewJam = view(showJam)

  async function sendCalendar({ params, request, set }: PageContext): Promise<Response> {
    const { jam, revision } = await loadJamForCalendar(deps, (params['jam'] ?? '').slice(0, -CALENDAR.length))
    return sendText(writeCalendar(jam, revision, storeName()), 'text/calendar', request, set, 0)
  }

  return createRoutes(kit, { name: 'jam-pages' })
    .get('/jams', view(showAll), { page: true })
    .get('/jams/new', ownPages.view(showNew), { page: true })
    .post('/jams/new', ownPages.submit('jam', create, showNew), { page: true, limit: 'account_write' })
    .get(
      '/jams/feed.xml',
      async ({ request, set }) => {
        const facts = {
          title: `Jams · ${storeName()}`,
          url: `${baseUrl}/jams/feed.xml`,
          pageUrl: `${baseUrl}/jams`,
        }
        const { text, updatedAt } = writeNewsFeed(facts, await listJamNews(deps), new Date(0))
        return sendFeed(text, updatedAt, { isPrivate: false }, request, set)
      },
      { limit: 'search', ...internal() },
    )
    .get(
      '/jams/:jam',
      // A parameter takes the whole part of an address, also the end of the calendar's.
      async ({ visit, params, query, request, server, form, set, redirect }) => {
        const context = { visit, params, query, request, server, form, set, redirect } as PageContext
        return params.jam.endsWith(CALENDAR) ? await sendCalendar(context) : await viewJam(context)
      },
      { page: true },
    )
    .get('/jams/:jam/participants', view(showParticipants), { page: true })
    .post('/jams/:jam/join', ownPages.submit('join', join, showJam), written())
    .post('/jams/:jam/leave', ownPages.submit('leave', leave, showJam), {
      page: true,
      limit: 'account_write',
    })
}
