import { expect, setDefaultTimeout, test } from 'bun:test'

import { ENGINES } from '../../src/clients/search/search-engine.ts'
import { createRandom } from '../../src/lib/random.ts'
import { MEILISEARCH_TEST_MS } from '../helpers/engines/meilisearch.ts'
import { isX64Slow } from '../helpers/engines/x64-programs.ts'
import { compareSearch, makeCatalog, readCounts } from './search-compare.ts'
import { describeEachEngine } from './search-engines.ts'
import { inventQuestion, inventText, listQuestions } from './search-questions.ts'
import { expectText } from './search-reference-text.ts'
import { expectAnswer, type Expected } from './search-reference.ts'

setDefaultTimeout(MEILISEARCH_TEST_MS)

const small = makeCatalog('small', 150)

/** A slow engine gets every so many questions; the others get all of them, and large catalogs. */
const SLOW_SHARE = 7
const isSlow = (engine: string) => engine === 'meilisearch' && isX64Slow()

describeEachEngine('search finds what the law says', small.documents, (engine, get) => {
  const questions = listQuestions(small.tags.slice(0, 20)).filter(
    (_, at) => !isSlow(engine) || at % SLOW_SHARE === 0,
  )
  test.each(questions)('%s', async (question) => {
    const expected = expectAnswer(small.documents, question)
    const answer = await get().search(question, { all: true })
    expect(answer.hits.map(({ uid }) => uid)).toEqual(expected.uids)
    expect(answer.total).toBe(expected.uids.length)
    expect(readCounts(answer)).toEqual(expected.facets)
  })
})

const large = makeCatalog('large', 2000)

const QUESTIONS = 400
const PORTION = 100
const expectations = new Map<string, Expected>()

/** Worked out once: every engine gets the same questions. */
function expectLarge(question: string): Expected {
  const expected = expectations.get(question) ?? expectAnswer(large.documents, question)
  expectations.set(question, expected)
  return expected
}

const FAST_ENGINES = ENGINES.filter((engine) => !isSlow(engine))

describeEachEngine(
  'search in a large catalog',
  large.documents,
  (engine, get) => {
    const compare = (question: string, expected: Expected) => compareSearch(get(), question, expected)
    const random = createRandom('questions')
    const questions = Array.from({ length: QUESTIONS }, () => inventQuestion(random, large.tags))
    // In portions, so that each has its own time on a busy machine.
    for (let start = 0; start < questions.length; start += PORTION) {
      const portion = questions.slice(start, start + PORTION)
      test(`answers questions ${start + 1} to ${start + portion.length} about 2000 listings as the law says`, async () => {
        for (const question of portion) await compare(question, expectLarge(question))
      })
    }

    // Which further typos an engine forgives is its own.
    if (engine !== 'postgres') return
    test('answers 300 with a text', async () => {
      const texts = createRandom('texts')
      for (let asked = 0; asked < 300; asked += 1) {
        const text = inventText(texts, large.words)
        const others = texts.chance(0.5) ? inventQuestion(texts, large.tags) : ''
        const question = new URLSearchParams(`${others}&${new URLSearchParams({ q: text }).toString()}`)
        const expected = expectAnswer(large.documents, question.toString(), expectText(large.documents, text))
        await compare(question.toString(), expected)
      }
    })
  },
  FAST_ENGINES,
)
