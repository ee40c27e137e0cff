import { FILTERS } from '../../domain/listings/facets.ts'
import { NEGATIONS } from '../../features/catalog/search/find-words.ts'
import type { UnderstoodWord } from '../../features/catalog/search/model.ts'
import type { SearchRequest } from '../../features/catalog/search/request.ts'
import { wordsOf } from '../../lib/text/search-words.ts'
import { CrossIcon, FilterIcon } from '../components/icons.tsx'
import { hrefOf } from './filters.ts'

/** Each link repeats the whole search. */
const WORDS_MAX = 6

/** The words that are values of filters, each to be dropped, or turned into the filter that it names. */
export function UnderstoodWords({
  state,
  understood,
}: {
  state: SearchRequest
  understood: readonly UnderstoodWord[]
}) {
  const words = [...Map.groupBy(understood, ({ word, excludes }) => (excludes ? `not ${word}` : word))]
  if (words.length === 0) return null
  return (
    <ul class="understood" aria-label="Understood words">
      {words.slice(0, WORDS_MAX).map(([name, values]) => (
        <li key={name} class="chips">
          <a class="chip" href={hrefOf(withoutWord(state, values))}>
            <span>
              <span class="visually-hidden">Drop </span>“<bdi>{name}</bdi>”
            </span>
            <CrossIcon />
          </a>
          {values.map((value) => (
            <AsFilter key={value.facet + value.value} state={withoutWord(state, values)} value={value} />
          ))}
        </li>
      ))}
    </ul>
  )
}

function AsFilter({ state, value: understood }: { state: SearchRequest; value: UnderstoodWord }) {
  const { facet, value, label, excludes } = understood
  const { legend, include, exclude, isSingle } = FILTERS[facet]
  const [parameter] = (excludes ? exclude : include) ?? []
  if (parameter === undefined) return null
  const values = isSingle ? [value] : [...new Set([...state.all(parameter), value])]
  return (
    <a class="chip as-filter" href={hrefOf(state.with(parameter, values))}>
      <FilterIcon />
      <span class="visually-hidden">Filter by </span>
      {legend}: {excludes ? `not ${label}` : label}
    </a>
  )
}

function withoutWord(state: SearchRequest, [first]: readonly UnderstoodWord[]): SearchRequest {
  if (first === undefined) return state
  const text = dropWord(state.first('find'), first)
  return state.with('find', text === '' ? [] : [text])
}

const PIECES = /-?"[^"]*"|\S+/g

/** The text as it was typed, without one of its words, and without what excludes it. */
export function dropWord(
  text: string,
  { word, excludes }: Pick<UnderstoodWord, 'word' | 'excludes'>,
): string {
  const pieces = text.match(PIECES) ?? []
  for (let from = 0; from < pieces.length; from += 1) {
    const isMinus = pieces[from]?.startsWith('-') === true
    const isNo = NEGATIONS.has(pieces[from - 1]?.toLowerCase() ?? '')
    if ((isMinus || isNo) !== excludes) continue
    let until = from
    let said = ''
    while (until < pieces.length && said.length < word.length) {
      said = [said, ...wordsOf(pieces[until] ?? '')].join(' ').trim()
      until += 1
    }
    if (said !== word) continue
    return [...pieces.slice(0, isNo && !isMinus ? from - 1 : from), ...pieces.slice(until)].join(' ')
  }
  return text
}
