import type { Deps } from '../../deps.ts'
import { hiddenTagsFor, type WebsiteUser } from '../../domain/actor.ts'
import { HOME_COLLECTIONS_MAX } from '../../domain/collections.ts'
import type { Facet } from '../../domain/listings/facets.ts'
import { AppError } from '../../errors.ts'
import { hasOperator } from '../../features/accounts/operators.ts'
import { fillCollections, type ShownCollection } from '../../features/catalog/collections/service.ts'
import type { Card } from '../../features/catalog/pages/model.ts'
import { createNewestPosts } from '../../features/catalog/pages/newest-posts.ts'
import { loadDeveloperShelves, loadPopularTags } from '../../features/catalog/pages/service.ts'
import { VALUES_MAX } from '../../features/catalog/search/model.ts'
import { SearchRequest } from '../../features/catalog/search/request.ts'
import {
  type CatalogSearch,
  countCards,
  findCards,
  type FoundCards,
} from '../../features/catalog/search/service.ts'
import { loadShelf } from '../../features/catalog/shelves/service.ts'
import { followDeveloper, unfollowDeveloper } from '../../features/community/follows/service.ts'
import { listPostsAnywhere } from '../../features/community/posts/public-posts.ts'
import { type CurrentJamsReader, NO_JAMS } from '../../features/jams/jams/current.ts'
import type { ChangelogEntry } from '../../features/listings/changelog/model.ts'
import { loadNewestChangeOf } from '../../features/listings/changelog/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { atAddress, type Visit } from '../../http/visit.ts'
import { memoize } from '../../lib/flow/memoize.ts'
import { parsePage } from '../../lib/paging.ts'
import { type Act, ownPages, publicPages, type ShowPage } from '../kit/pages.ts'
import { DeveloperPage } from './developer-page.tsx'
import { hrefOf, toExclusions, withPageSize } from './filters.ts'
import { HomePage } from './home-page.tsx'
import type { Update } from './home-rows.tsx'
import { NO_HELP } from './nothing-found.tsx'
import { OwnPage } from './own-page.tsx'
import { RulesPage } from './rules-page.tsx'
import { loadHelp } from './search-help.ts'
import { SearchPage } from './search-page.tsx'
import { PER_SHELF } from './shelf.tsx'

const { view } = publicPages
/** More than are shown, because those that stand above are left out. */
const NEWEST = 16
const firstBy = (sort: string) => SearchRequest.parse(Object.entries({ sort, page_size: String(NEWEST) }))
const FIRST_BY = { newest: firstBy('newest'), updated: firstBy('updated') }
const UPDATES_SHOWN = 6
/** On the page of a developer. */
const POSTS_SHOWN = 3
const POPULAR_TAGS = 24
const TAGS_LIFETIME_MS = 5000
const OPERATORS_LIFETIME_MS = 1000
/** The most values in all parameters of an address, because the page has a link for each. */
const VALUES_IN_ALL_MAX = 2 * VALUES_MAX

/** The home page, the search, developer pages and the rules. */
export function catalogPages(kit: HttpKit, deps: Deps, search: CatalogSearch, jams: CurrentJamsReader) {
  const find = (visit: Visit, state: SearchRequest) => findCards(search, visit.actor, state)
  const count = (visit: Visit, state: SearchRequest) => countCards(search, visit.actor, state)
  const parseState = ({ url }: Visit) => SearchRequest.parse(url.searchParams, VALUES_IN_ALL_MAX)
  const loadTags = memoize(TAGS_LIFETIME_MS, () =>
    deps.reads.shared(({ db }) => loadPopularTags(db, '', POPULAR_TAGS)),
  )
  // Two fixed objects, because the cache of pages compares its dependencies by identity.
  const [run, notRun] = [{ isRun: true }, { isRun: false }]
  const checkOperators = memoize(OPERATORS_LIFETIME_MS, async () =>
    (await hasOperator(deps.config, deps.db)) ? run : notRun,
  )
  const loadPosts = createNewestPosts(deps, search.loadCards)
  const changeOf = new WeakMap<Card, ChangelogEntry | undefined>()
  const findFirst = (visit: Visit, sort: keyof typeof FIRST_BY, facets: readonly Facet[] = []) => {
    const shown = visit.url.searchParams.get('show_hidden')
    const request = shown === null ? FIRST_BY[sort] : FIRST_BY[sort].with('show_hidden', [shown])
    return findCards(search, visit.actor, request, facets)
  }

  const showHome: ShowPage = async (_, { visit: sent }) => {
    // The external store's sign-in redirects here.
    if (sent.url.searchParams.get('extstore') === 'linked') return '/account/privacy?done=linked#store'
    const showsHidden = sent.url.searchParams.get('show_hidden') === 'true'
    const visit = atAddress(sent, showsHidden ? '/?show_hidden=true' : '/')
    const now = new Date()
    const os = visit.os ?? undefined
    const hiddenTags = hiddenTagsFor(visit.actor, visit.url.searchParams.get('show_hidden'))
    const { hero } = visit.store.settings
    const [chosen, playNow, tonight, unheardOf, newest, updated, collections, popular, posts, current] =
      await Promise.all([
        hero.game === null ? [] : search.loadCards([hero.game]),
        loadShelf(search, 'play_now', os, now, hiddenTags),
        loadShelf(search, 'tonight', os, now, hiddenTags),
        loadShelf(search, 'unheard_of', os, now, hiddenTags),
        findFirst(visit, 'newest', ['genres']),
        findFirst(visit, 'updated'),
        loadHomeCollections(visit, now),
        loadTags(),
        visit.store.settings.home.includes('posts') ? loadPosts(hiddenTags) : [],
        visit.store.settings.home.includes('jams') ? jams.read() : NO_JAMS,
      ])
    const shelved = [playNow, tonight, unheardOf].flatMap(({ items }) => items)
    const shelves = {
      chosen: chosen.find(({ adult }) => !adult),
      rows: {
        play_now: playNow.items,
        tonight: tonight.items,
        unheard_of: unheardOf.items,
        newest: newest.cards,
      },
      updates: await loadUpdates(updated.cards),
      posts,
      jams: current.jams,
      collections,
      tags: popular.tags.filter(({ tag }) => !hiddenTags.includes(tag)),
      hidden: await countHidden(visit, parseState(visit), newest),
      isPrepared: newest.hits.total > 0 || (await checkOperators()).isRun,
      genres: newest.hits.facets.genres ?? [],
      pictured: [...newest.cards, ...shelved, ...updated.cards],
    }
    const preparation = newest.hits.total > 0 ? [] : [await checkOperators()]
    const curated = collections.flatMap(({ collection, cards }) => [collection, ...cards])
    const written = posts.flatMap(({ card, post }) => [card, post])
    const cards = [...chosen, ...written, ...shelved, ...partsOf(newest), ...partsOf(updated), ...curated]
    return {
      page: <HomePage {...{ visit, ...shelves }} />,
      visit,
      maxAge: 5,
      cacheDeps: [popular, current, ...preparation, ...cards],
    }
  }

  const showSearch: ShowPage = async (_, { visit: sent }) => {
    const state = parseState(sent)
    const cleaned = toExclusions(state)
    if (cleaned) return hrefOf(cleaned)
    const visit = atAddress(sent, hrefOf(state))
    const found = await find(visit, withPageSize(state))
    const isNothing = found.hits.total === 0
    const help = isNothing ? await loadHelp(search, visit, state, found) : NO_HELP
    const hidden = await countHidden(visit, state, found)
    const page = <SearchPage {...{ visit, state, found, help, hidden }} />
    return { page, visit, ...(!isNothing && { cacheDeps: partsOf(found) }) }
  }

  const showDeveloper: ShowPage = async (actor, { visit: sent, params, query, refused }) => {
    const part = query.show === 'games' || query.show === 'others' ? query.show : null
    const first = parsePage({})
    const pages = { games: first, others: first, ...(part && { [part]: parsePage(query) }) }
    const shelves = await deps.reads.visitor(actor, (from) =>
      loadDeveloperShelves(from, actor, params.username ?? '', pages),
    )
    const posts =
      part === null ? await listPostsAnywhere(deps, actor, shelves.developer.uid, POSTS_SHOWN) : []
    const visit = refused ? atAddress(sent, `/developers/${shelves.developer.username}`) : sent
    return <DeveloperPage {...{ visit, part, posts, refused, ...shelves }} />
  }

  const follow: Act<WebsiteUser> = async (user, form, { params: { username = '' } }) => {
    const act = form.get('act')
    if (act === 'follow') await followDeveloper(deps, user, username, {})
    else if (act === 'unfollow') await unfollowDeveloper(deps, user, username)
    else throw new AppError('invalid_request', { message: 'Choose to follow or to stop.' })
    return `/developers/${username}?done=${act}`
  }

  const showRules: ShowPage = (_, { visit }) => ({
    page: <RulesPage visit={visit} canonical={`${deps.config.baseUrl}/rules`} />,
    maxAge: 5,
  })

  const showOwnPage: ShowPage = (_, { visit: sent, params }) => {
    const page = sent.store.settings.pages.find(({ slug }) => slug === params.slug)
    if (!page) throw new AppError('not_found')
    const visit = atAddress(sent, `/pages/${page.slug}`)
    const { baseUrl } = deps.config
    return { page: <OwnPage {...{ visit, page, baseUrl }} />, visit, maxAge: 5, cacheDeps: [page] }
  }

  return createRoutes(kit, { name: 'catalog-pages' })
    .get('/', view(showHome), { page: true })
    .get('/search', view(showSearch), { limit: 'search', page: true })
    .get('/developers/:username', view(showDeveloper), { page: true })
    .post('/developers/:username/follow', ownPages.submit('follow', follow, showDeveloper), {
      page: true,
      limit: 'account_write',
    })
    .get('/rules', view(showRules), { page: true })
    .get('/pages/:slug', view(showOwnPage), { page: true })

  /** The newest collections that the operators put on the home page. */
  async function loadHomeCollections(visit: Visit, now: Date): Promise<ShownCollection[]> {
    if (!visit.store.settings.home.includes('collections')) return []
    const chosen = (await search.loadCollections(now)).filter(({ onHome }) => onHome)
    return await fillCollections(search, visit.actor, chosen.slice(0, HOME_COLLECTIONS_MAX), {
      showHidden: visit.url.searchParams.get('show_hidden'),
      cardsMax: PER_SHELF,
    })
  }

  /** In one query for all that are not known yet. A change of a changelog replaces the card. */
  async function loadUpdates(cards: readonly Card[]): Promise<Update[]> {
    const shown = cards.slice(0, UPDATES_SHOWN)
    const unknown = shown.filter((card) => !changeOf.has(card))
    if (unknown.length > 0) {
      const found = await deps.reads.shared(({ db }) =>
        loadNewestChangeOf(
          db,
          unknown.map(({ uid }) => uid),
        ),
      )
      for (const card of unknown) changeOf.set(card, found.get(card.uid))
    }
    return shown.map((card) => ({ card, change: changeOf.get(card) }))
  }

  /** How many results the reader's hidden tags leave out. */
  async function countHidden(visit: Visit, state: SearchRequest, found: FoundCards): Promise<number> {
    if (hiddenTagsFor(visit.actor, state.first('show_hidden')).length === 0) return 0
    const everything = await count(visit, state.with('show_hidden', ['true']))
    return Math.max(0, everything - found.hits.total)
  }
}

/** The objects that a cached page about these results depends on. */
function partsOf({ hits, cards }: FoundCards): object[] {
  return [hits, ...cards]
}
