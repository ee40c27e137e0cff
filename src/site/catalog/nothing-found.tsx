import type { Card } from '../../features/catalog/pages/model.ts'
import type { SearchRequest } from '../../features/catalog/search/request.ts'
import type { FoundCards } from '../../features/catalog/search/service.ts'
import { CardList } from '../components/card.tsx'
import { numberText } from '../kit/labels.tsx'
import { hrefOf } from './filters.ts'
import { ShelfFrame, type ShelfHead } from './shelf.tsx'

/** The number of results without one of the filters or words. */
export interface Advice {
  label: string
  without: SearchRequest
  total: number
}

export interface OtherShelf extends ShelfHead {
  cards: readonly Card[]
}

/** What helps somebody whose search found nothing; its lists are empty otherwise. */
export interface Help {
  /** The nearest words. */
  didYouMean: string | null
  advice: readonly Advice[]
  shelves: readonly OtherShelf[]
}

export const NO_HELP: Help = { didYouMean: null, advice: [], shelves: [] }

interface NothingFoundProps {
  found: FoundCards
  state: SearchRequest
  help: Help
}

export function NothingFound({ found, state, help }: NothingFoundProps) {
  if (found.hits.total > 0) {
    return (
      <div class="empty">
        <h2>There is no such page</h2>
        <p>These results end before page {found.query.page.page}.</p>
        <a class="button second" href={hrefOf(state.with('page', []))}>
          To the first page
        </a>
      </div>
    )
  }
  const { didYouMean, advice, shelves } = help
  const helpful = advice.filter(({ total }) => total > 0)
  return (
    <div class="sections">
      <div class="empty">
        <h2>Nothing found</h2>
        {didYouMean === null ? null : (
          <p class="did-you-mean">
            Did you mean{' '}
            <a href={hrefOf(state.with('find', [didYouMean]))} dir="auto">
              {didYouMean}
            </a>
            ?
          </p>
        )}
        {helpful.length === 0 ? (
          didYouMean === null && <p>Try fewer filters, or other words.</p>
        ) : (
          <>
            <p>
              {advice.length === 1
                ? 'Try other words or filters, or look at the rest:'
                : 'Leave one out to find something:'}
            </p>
            <ul class="advice stack">
              {helpful.map(({ label, without, total }) => (
                <li key={hrefOf(without)}>
                  <a href={hrefOf(without)}>
                    Without <bdi>{label}</bdi>
                  </a>
                  : {numberText(total)} found
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      {shelves.map(({ cards, ...head }) => (
        <ShelfFrame key={head.title} {...head}>
          <CardList cards={cards} />
        </ShelfFrame>
      ))}
    </div>
  )
}
