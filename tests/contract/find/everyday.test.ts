import { expect, setDefaultTimeout, test } from 'bun:test'

import { readSameWords } from '../../../src/domain/listings/everyday-words.ts'
import { parseQuery } from '../../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../../src/features/catalog/search/request.ts'
import { MEILISEARCH_TEST_MS } from '../../helpers/engines/meilisearch.ts'
import { makeDemoDocuments } from '../../helpers/search/demo-documents.ts'
import { EVERYDAY_QUERIES, EVERYDAY_SHARE, isExpected } from '../../helpers/search/everyday-queries.ts'
import { knownWordsOf } from '../../helpers/search/known-words.ts'
import { describeEachEngine } from '../search-engines.ts'

setDefaultTimeout(MEILISEARCH_TEST_MS)

const documents = makeDemoDocuments()
const known = {
  ...knownWordsOf(documents),
  sameWords: readSameWords([]),
  isEngine: () => false,
  isOfDeveloper: () => false,
}

describeEachEngine('everyday words', documents, (_, get) => {
  test('find what people expect among the first five', async () => {
    const missed: string[] = []
    for (const asked of EVERYDAY_QUERIES) {
      const sent = new URLSearchParams({ find: asked.query })
      const { query } = parseQuery(SearchRequest.parse(sent), false, { known })
      const { hits } = await get().index.search(query)
      const found = hits.flatMap(({ uid }) => documents.find((document) => document.uid === uid) ?? [])
      if (!isExpected(asked, found))
        missed.push(
          `${asked.query}: ${found
            .slice(0, 5)
            .map(({ name }) => name)
            .join(', ')}`,
        )
    }
    expect(EVERYDAY_QUERIES.length).toBeGreaterThanOrEqual(60)
    // Those that were missed are the message.
    expect(missed.length > EVERYDAY_QUERIES.length * (1 - EVERYDAY_SHARE) ? missed : []).toEqual([])
  })
})
