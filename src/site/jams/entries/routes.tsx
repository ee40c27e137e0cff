import type { WebsiteUser } from '../../../domain/actor.ts'
import { jamPath } from '../../../domain/site-urls.ts'
import { invalidFields } from '../../../errors.ts'
import {
  type EntrySource,
  findEntries,
  openEntry,
  parseEntries,
} from '../../../features/jams/entries/list.ts'
import { EntryInput } from '../../../features/jams/entries/model.ts'
import { listOwnListings } from '../../../features/jams/entries/own.ts'
import { submitEntry } from '../../../features/jams/entries/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { arrivalOf, visitorOf } from '../../../http/server/request-facts.ts'
import { parsePage } from '../../../lib/paging.ts'
import { lines, readForm, textOf } from '../../kit/form-state.ts'
import { type Act, ownPages, type PageContext, publicPages, type ShowPage } from '../../kit/pages.ts'
import { openAccess, openShownJam } from '../jam-frame.tsx'
import { EnterPage } from './enter-page.tsx'
import { EntriesPage } from './entries-page.tsx'
import { EntryPage } from './entry-page.tsx'

const enters = () => ({ page: true, limit: 'account_write' }) as const

/** The entries of a jam, and the way to enter one. */
export function jamEntryPages(kit: HttpKit, source: EntrySource) {
  const { deps } = source
  const showEntries: ShowPage = async (actor, context) => {
    const { visit, query, request, server } = context
    const { shown, access } = await openAccess(deps, context)
    const page = parsePage(query)
    const visitor = visitorOf({ request, server, actor }, deps.config.trustProxy)
    const asked = { ...parseEntries(query, visitor), limit: page.page_size, offset: page.offset }
    const found = await findEntries(source, actor, access, asked)
    return { page: <EntriesPage {...{ visit, shown, found, page, query }} />, isSecret: true }
  }

  const showEntry: ShowPage = async (actor, context) => {
    const { visit, params } = context
    const { shown, access } = await openAccess(deps, context)
    const opened = await openEntry(source, actor, access, params.game ?? '')
    return <EntryPage {...{ visit, shown, opened }} />
  }

  const showEnter: ShowPage<WebsiteUser> = async (user, context) => {
    const { params } = context
    const [shown, listings] = await Promise.all([
      openShownJam(deps, context),
      listOwnListings(deps, user, params.jam ?? ''),
    ])
    return <EnterPage {...{ state: context, shown, listings, code: params.code ?? null }} />
  }

  const enter: Act<WebsiteUser> = async (user, form, { params, request }: PageContext) => {
    const arrivedAt = arrivalOf(request)
    const { jam = '', code } = params
    const game = textOf(form, 'game')
    if (game === '') throw invalidFields([{ path: 'game', message: 'Choose a listing.' }])
    const { note } = readForm(EntryInput, form, { note: lines })
    const input = { note: note ?? '', ...(code !== undefined && { code }) }
    const state = await submitEntry(deps, user, jam, game, input, arrivedAt)
    return `${jamPath(state.jam.slug, 'entries')}?done=entered`
  }

  return createRoutes(kit, { name: 'jam-entry-pages', prefix: '/jams/:jam' })
    .get('/entries', publicPages.view(showEntries), { page: true, limit: 'search' })
    .get('/entries/:game', publicPages.view(showEntry), { page: true })
    .get('/enter', ownPages.view(showEnter), { page: true })
    .post('/enter', ownPages.submit('enter', enter, showEnter), enters())
    .get('/late/:code', ownPages.view(showEnter), { page: true, limit: 'redeem' })
    .post('/late/:code', ownPages.submit('enter', enter, showEnter), {
      page: true,
      limit: ['redeem', 'account_write'],
    })
}
