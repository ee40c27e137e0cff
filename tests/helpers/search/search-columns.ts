import type { Columns } from '../../../src/clients/search/postgres/index/columns.ts'
import { Vocabulary } from '../../../src/clients/search/postgres/index/vocabulary.ts'
import { rank } from '../../../src/clients/search/postgres/query/rank.ts'
import { findResults } from '../../../src/clients/search/postgres/query/results.ts'
import type { SearchHits } from '../../../src/clients/search/search-engine.ts'
import type { IndexedDocument } from '../../../src/db/schema/search.ts'
import { parseQuery } from '../../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../../src/features/catalog/search/request.ts'
import { createUid } from '../../../src/lib/ids.ts'
import type { Random } from '../../../src/lib/random.ts'
import { type CatalogShape, makeRandomDocument } from './search-documents.ts'

export interface IndexedListing {
  uid: string
  document: IndexedDocument
}

/** As the writer stores it, with made-up word ids. */
export function makeIndexed(random: Random, shape: CatalogShape): IndexedListing {
  const { name, tagline, ...fields } = makeRandomDocument(random, 0, shape)
  const numbersOf = (text: string) => text.split(' ').map((word) => shape.words.indexOf(word))
  const isPackage = random.chance(0.05)
  const packed = {
    title: name,
    author: 'Ada',
    open: true,
    rating: random.below(9),
    released_at: random.below(9),
  }
  const document = { ...fields, name: numbersOf(name), tagline: numbersOf(tagline) }
  return { uid: createUid(), document: { ...document, package: isPackage ? packed : null } }
}

/** A page of what a search without a text finds. */
export async function searchColumns(columns: Columns, question: string): Promise<Omit<SearchHits, 'engine'>> {
  const sent = new URLSearchParams(question)
  const { query } = parseQuery(SearchRequest.parse(sent), false)
  const { matches, total, facets } = await findResults(
    columns,
    null,
    { ...query, depth: null },
    async (_request, count) => count(),
  )
  const ids = await rank({ columns, vocabulary: new Vocabulary() }, matches, query, null)
  return { hits: ids.map((id) => ({ uid: columns.uids.of(id), score: 0 })), total, facets }
}
