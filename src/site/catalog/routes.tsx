import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { hiddenTagsFor } from '../../domain/actor.ts'
import { HOME_COLLECTIONS_MAX } from '../../domain/collections.ts'
import { AppError } from '../../errors.ts'
import { hasOperator } from '../../features/accounts/operators.ts'
import { fillCollections, type ShownCollection } from '../../features/catalog/collections/service.ts'
import { readPopularTags } from '../../features/catalog/pages/popular-tags.ts'
import { readDeveloper } from '../../features/catalog/pages/service.ts'
import {
  type CatalogSearch,
  countCards,
  findCards,
  type FoundCards,
} from '../../features/catalog/search/service.ts'
import { readShelf } from '../../features/catalog/shelves/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { atAddress, type Visit } from '../../http/visit.ts'
import { memoize } from '../../lib/flow/memoize.ts'
import { readPage } from '../../lib/paging.ts'
import { publicPages, type ShowPage } from '../kit/pages.ts'
import { DeveloperPage } from './developer-page.tsx'
import { listActiveFilters } from './filters.ts'
import { HomePage } from './home-page.tsx'
import { OwnPage } from './own-page.tsx'
import { RulesPage } from './rules-page.tsx'
import { type Advice, SearchPage } from './search-page.tsx'
import { readExclusions, SearchState } from './search-state.ts'
import { PER_SHELF } from './shelf.tsx'

const { view } = publicPages
const NEWEST = 8
const POPULAR_TAGS = 24
const TAGS_LIFETIME_MS = 5000
const OPERATORS_LIFETIME_MS = 1000
/** Each suggestion costs a search. */
const ADVICE_MAX = 8

/** The home page, the search, developer pages and the rules. */
export function catalogPages(kit: HttpKit, deps: Deps, search: CatalogSearch) {
  const find = (visit: Visit, parameters: URLSearchParams) =>
    findCards(search, visit.actor, (name) => parameters.getAll(name))
  const count = (visit: Visit, parameters: URLSearchParams) =>
    countCards(search, visit.actor, (name) => parameters.getAll(name))
  const readTags = memoize(TAGS_LIFETIME_MS, () =>
    deps.reads.shared(({ db }) => readPopularTags(db, '', POPULAR_TAGS)),
  )
  // The same object until it changes, as cached pages need it.
  const [run, notRun] = [{ isRun: true }, { isRun: false }]
  const readOperators = memoize(OPERATORS_LIFETIME_MS, async () =>
    (await hasOperator(deps.config, deps.db)) ? run : notRun,
  )
  const findFirst = (visit: Visit, sort: string) => {
    const parameters = new URLSearchParams({ sort, page_size: String(NEWEST) })
    const showHidden = visit.url.searchParams.get('show_hidden')
    if (showHidden !== null) parameters.set('show_hidden', showHidden)
    return find(visit, parameters)
  }

  const showHome: ShowPage = async (_, { visit: sent }) => {
    // The external store's sign-in redirects here.
    if (sent.url.searchParams.get('extstore') === 'linked') return '/account?done=linked#store'
    const showsHidden = sent.url.searchParams.get('show_hidden') === 'true'
    const visit = atAddress(sent, showsHidden ? '/?show_hidden=true' : '/')
    const now = new Date()
    const os = visit.os ?? undefined
    const hiddenTags = hiddenTagsFor(visit.actor, visit.url.searchParams.get('show_hidden'))
    const { hero } = visit.store.settings
    const [chosen, playNow, tonight, unheardOf, newest, updated, collections, popular] = await Promise.all([
      hero.game === null ? [] : search.readCards([hero.game]),
      readShelf(search, 'play_now', os, now, hiddenTags),
      readShelf(search, 'tonight', os, now, hiddenTags),
      readShelf(search, 'unheard_of', os, now, hiddenTags),
      findFirst(visit, 'newest'),
      findFirst(visit, 'updated'),
      readHomeCollections(visit, now),
      readTags(),
    ])
    const shelves = {
      featured: chosen.find(({ adult }) => !adult),
      playNow: playNow.items,
      tonight: tonight.items,
      unheardOf: unheardOf.items,
      newest: newest.cards,
      updated: updated.cards,
      collections,
      tags: popular.tags.filter(({ tag }) => !hiddenTags.includes(tag)),
      hidden: await countHidden(visit, SearchState.read(visit.url.searchParams), newest),
      isPrepared: newest.hits.total > 0 || (await readOperators()).isRun,
    }
    const preparation = newest.hits.total > 0 ? [] : [await readOperators()]
    const shelved = [playNow, tonight, unheardOf].flatMap(({ items }) => items)
    const curated = collections.flatMap(({ collection, cards }) => [collection, ...cards])
    const cards = [...chosen, ...shelved, ...partsOf(newest), ...partsOf(updated), ...curated]
    return {
      page: <HomePage visit={visit} {...shelves} />,
      visit,
      maxAge: 5,
      madeOf: [popular, ...preparation, ...cards],
    }
  }

  const showSearch: ShowPage = async (_, { visit: sent }) => {
    const state = SearchState.read(sent.url.searchParams)
    const cleaned = readExclusions(state)
    if (cleaned) return cleaned.href()
    const visit = atAddress(sent, state.href())
    const found = await find(visit, state.toParameters())
    const advice = found.hits.total === 0 ? await advise(visit, state) : []
    const hidden = await countHidden(visit, state, found)
    const page = <SearchPage {...{ visit, state, found, advice, hidden }} />
    return { page, visit, ...(advice.length === 0 && { madeOf: partsOf(found) }) }
  }

  const showDeveloper: ShowPage = async (actor, { visit, params, query }) => {
    const developer = await deps.reads.visitor(actor, (from) =>
      readDeveloper(from, actor, params.username ?? '', readPage(query)),
    )
    return <DeveloperPage visit={visit} developer={developer} />
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
    return { page: <OwnPage {...{ visit, page, baseUrl }} />, visit, maxAge: 5, madeOf: [page] }
  }

  return new Elysia({ name: 'catalog-pages' })
    .use(kit)
    .get('/', view(showHome), { page: true })
    .get('/search', view(showSearch), { limit: 'search', page: true })
    .get('/developers/:username', view(showDeveloper), { page: true })
    .get('/rules', view(showRules), { page: true })
    .get('/pages/:slug', view(showOwnPage), { page: true })

  /** The newest of those that the operators put on the home page. */
  async function readHomeCollections(visit: Visit, now: Date): Promise<ShownCollection[]> {
    if (!visit.store.settings.home.includes('collections')) return []
    const chosen = (await search.readCollections(now)).filter(({ onHome }) => onHome)
    return await fillCollections(search, visit.actor, chosen.slice(0, HOME_COLLECTIONS_MAX), {
      showHidden: visit.url.searchParams.get('show_hidden'),
      cardsMax: PER_SHELF,
    })
  }

  /** How many results the reader's hidden tags leave out. */
  async function countHidden(visit: Visit, state: SearchState, found: FoundCards): Promise<number> {
    if (hiddenTagsFor(visit.actor, state.first('show_hidden')).length === 0) return 0
    const everything = state.with('show_hidden', ['true']).toParameters()
    return Math.max(0, (await count(visit, everything)) - found.hits.total)
  }

  async function advise(visit: Visit, state: SearchState): Promise<Advice[]> {
    const filters = listActiveFilters(state)
    if (filters.length > ADVICE_MAX) return []
    return await Promise.all(
      filters.map(async (filter) => {
        const parameters = state.without(filter.name, filter.value).toParameters()
        return { filter, total: await count(visit, parameters) }
      }),
    )
  }
}

/** The objects that a page about these results is made of. */
function partsOf({ hits, cards }: FoundCards): object[] {
  return [hits, ...cards]
}
