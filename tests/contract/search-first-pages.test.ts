import { expect, test } from 'bun:test'

import { createRandom } from '../../src/lib/random.ts'
import { makeRandomDocument, makeWords } from '../helpers/search/search-documents.ts'
import { describeEachEngine } from './search-engines.ts'
import { inventText } from './search-questions.ts'

const random = createRandom('first pages')
/** So few words that hundreds of listings have the same one in their name. */
const shape = { words: makeWords('first pages', 12), tags: makeWords('first pages tags', 20), length: 4 }
const documents = Array.from({ length: 1500 }, (_, index) => makeRandomDocument(random, index, shape))
/** No listing without a searched word in its name has a higher score. */
const BEST_ELSEWHERE = 0.42

describeEachEngine(
  'the first pages of a text',
  documents,
  (_, get) => {
    test('are what the list of all results begins with', async () => {
      let namesOnly = 0
      for (let asked = 0; asked < 150; asked += 1) {
        const params = new URLSearchParams({ q: inventText(random, shape.words) })
        if (random.chance(0.3)) params.set('tags', random.draw(shape.tags, 2).join())
        const all = await get().search(params.toString(), { all: true })
        for (const [page, size] of [
          [1, 20],
          [1 + random.below(5), 50],
          [1 + random.below(15), 20],
        ] as const) {
          const question = `${params.toString()}&page=${page}&page_size=${size}`
          const { hits, total, facets } = await get().search(question)
          expect({ question, hits, total, facets }).toEqual({
            question,
            hits: all.hits.slice((page - 1) * size, page * size),
            total: all.total,
            facets: all.facets,
          })
        }
        if ((all.hits[249]?.score ?? 0) > BEST_ELSEWHERE) namesOnly += 1
      }
      expect(namesOnly).toBeGreaterThan(20)
    })
  },
  ['postgres'],
)
