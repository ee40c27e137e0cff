import { hiddenTagsFor } from '../../domain/actor.ts'
import type { Card } from '../../features/catalog/pages/model.ts'
import { SearchRequest } from '../../features/catalog/search/request.ts'
import {
  type CatalogSearch,
  countCards,
  findCards,
  type FoundCards,
} from '../../features/catalog/search/service.ts'
import { loadShelf } from '../../features/catalog/shelves/service.ts'
import type { Visit } from '../../http/visit.ts'
import { type ActiveFilter, listActiveFilters } from './filters.ts'
import type { Advice, Help, OtherShelf } from './nothing-found.tsx'
import { dropWord } from './understood.tsx'

/** With more filters no removal is suggested, because each suggestion costs a search. */
const ADVICE_MAX = 8
/** The same for words: longer texts are sentences, of which no single word is too much. */
const WORDS_MAX = 5
const SHELVES = 3
const CARDS_IN_A_ROW = 4

/** For a search that found nothing: what was meant, what to leave out, and what else there is. */
export async function loadHelp(
  search: CatalogSearch,
  visit: Visit,
  state: SearchRequest,
  found: FoundCards,
): Promise<Help> {
  const count = async (part: Part): Promise<Advice> => {
    return { ...part, total: await countCards(search, visit.actor, part.without) }
  }
  const filters = listActiveFilters(state)
  const words = listWords(state, found)
  const [withoutFilters, withoutWords, shelves] = await Promise.all([
    filters.length > ADVICE_MAX
      ? []
      : Promise.all(filters.map((filter) => count(withoutFilter(state, filter)))),
    words.length < 2 || words.length > WORDS_MAX
      ? []
      : Promise.all(words.map((word) => count(withoutWord(state, word)))),
    loadShelves(search, visit),
  ])
  const isWordEnough = withoutWords.some(({ total }) => total > 0)
  const others = withoutFilters.filter(({ without }) => !isWordEnough || without.first('find') !== '')
  return { didYouMean: found.didYouMean, advice: [...withoutWords, ...others], shelves }
}

type Part = Omit<Advice, 'total'>

function withoutFilter(state: SearchRequest, { name, value, label }: ActiveFilter): Part {
  return { label, without: state.without(name, value) }
}

function withoutWord(state: SearchRequest, word: string): Part {
  const text = dropWord(state.first('find'), { word, excludes: false })
  return { label: `“${word}”`, without: state.with('find', [text]) }
}

/** The words and phrases of the text that can be dropped from it. */
function listWords(state: SearchRequest, { query }: FoundCards): string[] {
  const text = state.first('find')
  const words = (query.words?.find.terms ?? []).map(({ alternatives: [typed = []] }) => typed.join(' '))
  return words.filter((word) => dropWord(text, { word, excludes: false }) !== text)
}

/** The first three that have something, each listing once. */
async function loadShelves(search: CatalogSearch, { actor, os }: Visit): Promise<OtherShelf[]> {
  const find = async (sort: string) => {
    const parameters = { sort, page_size: String(SHELVES * CARDS_IN_A_ROW) }
    return (await findCards(search, actor, SearchRequest.parse(Object.entries(parameters)), [])).cards
  }
  const hiddenTags = hiddenTagsFor(actor, null)
  const [popular, playNow, newest, updated] = await Promise.all([
    find('popular'),
    loadShelf(search, 'play_now', os ?? undefined, new Date(), hiddenTags),
    find('newest'),
    find('updated'),
  ])
  const shelves: OtherShelf[] = [
    {
      title: 'Popular',
      about: 'Played and downloaded most this month',
      cards: popular,
      more: '/search?sort=popular',
    },
    {
      title: 'Play now',
      about: 'In the browser, with nothing to install',
      cards: playNow.items,
      more: '/search?playable=true',
    },
    { title: 'Newest', about: 'Just published', cards: newest, more: '/search?sort=newest' },
    {
      title: 'Recently updated',
      about: 'New builds and pages',
      cards: updated,
      more: '/search?sort=updated',
    },
  ]
  const shown = new Set<Card>()
  const fresh = shelves.map(({ cards, ...head }) => {
    const some = cards
      .filter((card) => !shown.has(card) && card.health.band !== 'problematic')
      .slice(0, CARDS_IN_A_ROW)
    for (const card of some) shown.add(card)
    return { ...head, cards: some }
  })
  return fresh.filter(({ cards }) => cards.length > 0).slice(0, SHELVES)
}
