import type { Deps } from '../../deps.ts'
import { fillCollections, loadCollection, toSummary } from '../../features/catalog/collections/service.ts'
import type { CatalogSearch } from '../../features/catalog/search/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { atAddress } from '../../http/visit.ts'
import { paged, parsePage } from '../../lib/paging.ts'
import { publicPages, type ShowPage } from '../kit/pages.ts'
import { CollectionPage, CollectionsPage } from './collections-page.tsx'

const { view } = publicPages
const PER_PAGE = '10'
const CARDS_SHOWN = 4
const MAX_AGE = 5

/** The pages of the operators' collections. */
export function collectionPages(kit: HttpKit, { config: { baseUrl } }: Deps, search: CatalogSearch) {
  const showAll: ShowPage = async (visitor, { visit: sent, query }) => {
    const page = parsePage({ page: query.page, page_size: PER_PAGE })
    const path = page.page === 1 ? '/collections' : `/collections?page=${page.page}`
    const visit = atAddress(sent, path)
    const all = await search.loadCollections(new Date())
    const chosen = all.slice(page.offset, page.offset + page.page_size)
    const items = await fillCollections(search, visitor, chosen, {
      showHidden: null,
      cardsMax: CARDS_SHOWN,
    })
    const shown = paged(page, items, all.length)
    const cacheDeps = items.flatMap(({ collection, cards }) => [collection, ...cards])
    const canonical = `${baseUrl}/collections`
    return {
      page: <CollectionsPage {...{ visit, shown, canonical }} />,
      visit,
      maxAge: MAX_AGE,
      cacheDeps,
    }
  }

  const showOne: ShowPage = async (visitor, { visit: sent, params, query }) => {
    const { collection, cards } = await loadCollection(search, visitor, params.slug ?? '', query.show_hidden)
    const summary = toSummary(baseUrl, collection)
    const visit = atAddress(sent, `/collections/${collection.slug}`)
    const page = <CollectionPage {...{ visit, summary, cards }} />
    return { page, visit, maxAge: MAX_AGE, cacheDeps: [collection, ...cards] }
  }

  return createRoutes(kit, { name: 'collection-pages' })
    .get('/collections', view(showAll), { page: true })
    .get('/collections/:slug', view(showOne), { page: true })
}
