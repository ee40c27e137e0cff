import { expect, test } from 'bun:test'

import type { SearchDocument } from '../../src/domain/listings/search-document.ts'
import { createRandom } from '../../src/lib/random.ts'
import { makeRandomDocument, makeWords } from '../helpers/search/search-documents.ts'
import { expectFind } from './find/find-reference.ts'
import { compareSearch, makeCatalog } from './search-compare.ts'
import { describeEachEngine } from './search-engines.ts'
import { inventQuestion, inventText } from './search-questions.ts'
import { expectText } from './search-reference-text.ts'
import { expectAnswer } from './search-reference.ts'

const ROUNDS = 40
const CHANGES = 6
const QUESTIONS = 12

const catalog = makeCatalog('changing', 300)

/** The same questions come again and again, so that whatever the engine has cached is used after each change. */
describeEachEngine(
  'search in a changing catalog',
  catalog.documents,
  (_, get) => {
    test(`answers as the law says after each of ${ROUNDS} changes`, async () => {
      const random = createRandom('changes')
      const developers = makeWords('developers', 40)
      const shape = { ...catalog, words: [...catalog.words, ...makeWords('later words', 200)] }
      const filters = Array.from({ length: 20 }, () => inventQuestion(random, catalog.tags))
      const texts = Array.from({ length: 20 }, () => inventText(random, shape.words))
      const finds = Array.from({ length: 20 }, () => inventText(random, [...catalog.tags, ...developers]))
      const listed = new Map(catalog.documents.map((document) => [document.uid, document]))
      for (let round = 0; round < ROUNDS; round += 1) {
        const { written, removed } = change(listed, round)
        await Promise.all([get().index.upsert(written), get().index.remove(removed)])
        const documents = [...listed.values()]
        for (let count = 0; count < QUESTIONS; count += 1) {
          const filter = random.pick(filters)
          if (random.chance(0.5)) {
            await compareSearch(get(), filter, expectAnswer(documents, filter))
            continue
          }
          const text = random.pick(texts)
          const question = `${filter}&${new URLSearchParams({ q: text }).toString()}`
          await compareSearch(get(), question, expectAnswer(documents, question, expectText(documents, text)))
          const typed = random.pick(finds)
          const asked = `${filter}&${new URLSearchParams({ find: typed }).toString()}`
          await compareSearch(get(), asked, expectAnswer(documents, asked, expectFind(documents, typed)))
        }
      }
      expect(listed.size).toBeGreaterThan(200)

      /** Rewrites some listings or only their texts, adds new ones and removes others. */
      function change(known: Map<string, SearchDocument>, round: number) {
        const number = () => random.below(catalog.documents.length + round)
        const isTextOnly = round % 2 === 0
        const drawn = Array.from({ length: CHANGES }, () => {
          const developer = random.pick(developers)
          const fresh = { ...makeRandomDocument(random, number(), shape), developer }
          const before = known.get(fresh.uid)
          const { name, tagline, description, updated_at } = fresh
          return isTextOnly && before ? { ...before, name, tagline, description, updated_at } : fresh
        })
        const written = [...new Map(drawn.map((document) => [document.uid, document])).values()]
        for (const document of written) known.set(document.uid, document)
        const uid = random.pick([...known.keys()])
        if (isTextOnly) return { written, removed: [] }
        if (written.some((document) => document.uid === uid)) return { written, removed: [] }
        known.delete(uid)
        return { written, removed: [uid] }
      }
    })
  },
  ['postgres'],
)
