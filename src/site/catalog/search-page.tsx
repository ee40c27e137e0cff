import { SORT_LABELS } from '../../domain/listings/facets.ts'
import type { SearchRequest } from '../../features/catalog/search/request.ts'
import type { FoundCards } from '../../features/catalog/search/service.ts'
import type { Visit } from '../../http/visit.ts'
import { CardList, firstPictureOf } from '../components/card.tsx'
import { HiddenNote } from '../components/hidden-note.tsx'
import { CrossIcon } from '../components/icons.tsx'
import { Pager } from '../components/lists.tsx'
import { Submit } from '../kit/form.tsx'
import { countText, numberText } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'
import { FilterButton, FilterForm } from './filter-form.tsx'
import { type ActiveFilter, hrefOf, listActiveFilters, withPageSize } from './filters.ts'
import { type Help, NothingFound } from './nothing-found.tsx'
import { UnderstoodWords } from './understood.tsx'

export interface SearchPageProps {
  visit: Visit
  state: SearchRequest
  found: FoundCards
  help: Help
  /** The number of results that the reader's hidden tags leave out. */
  hidden: number
}

export function SearchPage({ visit, state, found, help, hidden }: SearchPageProps) {
  const { hits, cards } = found
  const active = listActiveFilters(state)
  const text = state.first('find') || state.first('q')
  return (
    <Layout
      visit={visit}
      title={text === '' ? 'Browse' : `Search for “${text}”`}
      description="Browse games, mods, tools and assets. Include what you like, exclude what you do not."
      scripts={['search']}
      isIndexed={active.length === 0}
      preload={firstPictureOf(cards)}
    >
      <h1 class="browse-title">Browse</h1>
      <div class="browse" id="browse">
        <FilterForm
          state={state}
          facets={hits.facets}
          total={hits.total}
          isSignedIn={visit.actor.kind === 'user'}
        />
        <section class="results" id="results" aria-labelledby="results-title" tabIndex={-1}>
          <h2 class="visually-hidden" id="results-title">
            Results
          </h2>
          <header>
            <p role="status" id="count">
              <strong>{totalText(hits.total, state)}</strong>
            </p>
            <FilterButton active={active.length} />
            <SortForm state={state} />
          </header>
          <div role="status" id="lost" class="notice warn" />
          <ActiveFilters {...{ state, active }} />
          <UnderstoodWords state={state} understood={found.query.words?.understood ?? []} />
          <HiddenNote
            {...{ visit, count: hidden }}
            shown={hrefOf(state.with('show_hidden', ['true']))}
            hidden={hrefOf(state.with('show_hidden', []))}
          />
          {cards.length > 0 ? <CardList cards={cards} /> : <NothingFound {...{ found, state, help }} />}
          <Pager {...found.query.page} total={hits.total} url={new URL(hrefOf(state), visit.url)} />
          <p class="quiet small api-call">
            <a href={`/api/v1/public/search?${withPageSize(state).toQuery()}`}>This search as API call</a>
          </p>
        </section>
      </div>
    </Layout>
  )
}

function totalText(total: number, state: SearchRequest): string {
  if (total === 0) return 'Nothing found'
  const types = state.all('asset_type')
  if (types.length === 1 && types[0] === 'game') return countText(total, 'game')
  return types.length > 0 ? countText(total, 'result') : `${countText(total, 'game')} and more`
}

function SortForm({ state }: { state: SearchRequest }) {
  const chosen = state.first('sort')
  const others = state.with('sort', []).pairs()
  return (
    <form action="/search" method="get" class="row" id="sort-form">
      {others.map(([name, value]) => (
        <input key={name + value} type="hidden" name={name} value={value} />
      ))}
      <label class="quiet small" for="sort">
        Sort by
      </label>
      <select class="input" id="sort" name="sort">
        {Object.entries(SORT_LABELS).map(([value, label]) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
      <Submit look="second without-script">Sort</Submit>
    </form>
  )
}

/** Each link repeats the whole search, so the page would grow with the square of the number of filters. */
const REMOVABLE_MAX = 20

function ActiveFilters({ state, active }: { state: SearchRequest; active: readonly ActiveFilter[] }) {
  if (active.length === 0) return null
  const more = active.length - REMOVABLE_MAX
  return (
    <ul class="chips active" aria-label="Active filters">
      {active.slice(0, REMOVABLE_MAX).map(({ name, value, label, isExclusion }) => (
        <li key={name + value}>
          <a class={isExclusion ? 'chip not' : 'chip'} href={hrefOf(state.without(name, value))}>
            <span class="visually-hidden">Remove </span>
            <bdi>{label}</bdi>
            <CrossIcon />
          </a>
        </li>
      ))}
      {more > 0 && <li class="quiet small">and {numberText(more)} more</li>}
      <li>
        <a class="chip" href="/search">
          Clear all
        </a>
      </li>
    </ul>
  )
}
