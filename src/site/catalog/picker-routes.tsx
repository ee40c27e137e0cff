import type { Deps } from '../../deps.ts'
import { COLLECTION_LISTINGS_MAX } from '../../domain/collections.ts'
import { listNamedCards } from '../../features/catalog/collections/edit.ts'
import type { Card } from '../../features/catalog/pages/model.ts'
import { SearchRequest } from '../../features/catalog/search/request.ts'
import { type CatalogSearch, findCards } from '../../features/catalog/search/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { PickerEntry } from '../components/picker.tsx'
import { renderHtml } from '../kit/html.ts'
import { TYPE_LABELS } from '../kit/labels.tsx'

const FOUND_MAX = '8'
const TEXT_MAX = 100

/** Public listings for the picker: searched by text, or looked up by name. */
export function pickerRoutes(kit: HttpKit, deps: Deps, search: CatalogSearch) {
  return createRoutes(kit, { name: 'picker' }).get(
    '/picker',
    async ({ visit: { actor }, query, set }) => {
      const names = (query.names ?? '').split(',').slice(0, COLLECTION_LISTINGS_MAX)
      const parameters = new URLSearchParams({
        q: (query.q ?? '').slice(0, TEXT_MAX),
        asset_type: query.types ?? '',
        page_size: FOUND_MAX,
        show_hidden: 'true',
      })
      const cards =
        query.names === undefined
          ? (await findCards(search, actor, SearchRequest.parse(parameters), [])).cards
          : await listNamedCards(deps.db, search.loadCards, actor, names)
      set.headers['content-type'] = 'text/html; charset=utf-8'
      set.headers['cache-control'] = 'no-store'
      return new Response(renderHtml(<Entries cards={cards} />))
    },
    { limit: 'search', page: true },
  )
}

function Entries({ cards }: { cards: readonly Card[] }) {
  return (
    <ul>
      {cards.map(({ uid, vanity_name, name, asset_type, developer, thumbnail, cover }) => (
        <PickerEntry
          key={uid}
          {...{ uid, name, vanityName: vanity_name, picture: thumbnail ?? cover }}
          detail={`${TYPE_LABELS[asset_type]} by ${developer.display_name}`}
        />
      ))}
    </ul>
  )
}
