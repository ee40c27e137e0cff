import { describe, expect, spyOn, test } from 'bun:test'

import { isNotNull, sql } from 'drizzle-orm'

import { openPostgresEngine } from '../../../../src/clients/search/postgres/engine.ts'
import type { SearchHits, SearchIndex } from '../../../../src/clients/search/search-engine.ts'
import { openDatabase } from '../../../../src/db/client.ts'
import { searchWords } from '../../../../src/db/schema/search.ts'
import { parseQuery } from '../../../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../../../src/features/catalog/search/request.ts'
import { makeDocument } from '../../../helpers/search/search-documents.ts'
import { useDatabase } from '../../../helpers/store.ts'

interface Driver {
  unsafe: (text: string, ...rest: unknown[]) => unknown
}

const database = useDatabase()

async function ask(engine: SearchIndex, text: string): Promise<SearchHits> {
  const sent = new URLSearchParams(text)
  return await engine.search(parseQuery(SearchRequest.parse(sent), false).query)
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const randomWord = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => LETTERS[byte % LETTERS.length]).join('')
const randomWords = (count: number) => Array.from({ length: count }, randomWord)
const countWords = () => database.db.$count(searchWords, isNotNull(searchWords.word))
const countNumbers = () => database.db.$count(searchWords)
const ageFreeNumbers = () =>
  database.db.execute(sql`update search_words set freed_at = freed_at - interval '2 minutes'`)

describe('words that no document has', () => {
  test('are gone, from the table and from every process', async () => {
    const [writer, reader] = [await openPostgresEngine(database), await openPostgresEngine(database)]
    const document = makeDocument({ name: 'Persistent' })
    await writer.upsert([{ ...document, description: randomWords(500).join(' ') }])
    const [before, numbers] = [await countWords(), await countNumbers()]
    const forgotten = randomWords(500)
    for (let edit = 0; edit < 10; edit += 1) {
      const words = edit === 5 ? forgotten : randomWords(500)
      await writer.upsert([{ ...document, description: words.join(' ') }])
      if (edit === 5) {
        await reader.settled()
        expect((await ask(reader, `q=${forgotten[7] ?? ''}`)).total).toBe(1)
      }
    }
    // Short beginnings are listed too, and differ from edit to edit.
    expect(Math.abs((await countWords()) - before)).toBeLessThan(before / 5)
    expect((await ask(reader, `q=${forgotten[7] ?? ''}`)).total).toBe(0)

    await ageFreeNumbers()
    const most = await countNumbers()
    expect(most).toBeGreaterThan(numbers)
    for (let edit = 0; edit < 5; edit += 1) {
      await writer.upsert([{ ...document, description: randomWords(500).join(' ') }])
      await ageFreeNumbers()
    }
    expect(await countNumbers()).toBe(most)
    await writer.remove([document.uid])
    expect(await countWords()).toBe(0)
  })

  test('come back with another number, for processes that never saw them go', async () => {
    const [writer, reader] = [await openPostgresEngine(database), await openPostgresEngine(database)]
    const [first, second] = [makeDocument({ name: 'Carousel' }), makeDocument({ name: 'Pendulum' })]
    await writer.upsert([first, second])
    await reader.settled()
    expect((await ask(reader, 'q=carousel')).hits.map(({ uid }) => uid)).toEqual([first.uid])
    await writer.upsert([{ ...first, name: 'Windmill' }])
    await ageFreeNumbers()
    // Takes the numbers that were those of the first one's words.
    await writer.upsert([{ ...second, name: 'Carousel Quicksand' }])
    await reader.settled()
    for (const [word, uids] of Object.entries({
      carousel: [second.uid],
      quicksand: [second.uid],
      windmill: [first.uid],
      pendulum: [],
      carrousel: [second.uid],
      qui: [second.uid],
      pen: [],
    })) {
      const { hits } = await ask(reader, `q=${word}`)
      expect({ word, uids: hits.map(({ uid }) => uid) }).toEqual({ word, uids })
    }
    await writer.remove([first.uid, second.uid])
  })

  test('are kept where another writer adds them at that moment', async () => {
    const other = openDatabase(database.url)
    const engines = [await openPostgresEngine(database), await openPostgresEngine(other)]
    const documents = [makeDocument({ name: 'One' }), makeDocument({ name: 'Two' })]
    try {
      for (let round = 0; round < 15; round += 1) {
        // Each round one document drops the word while the other takes it.
        await Promise.all(
          engines.map(async (engine, at) => {
            const description = (round + at) % 2 === 0 ? 'chrysalis' : `other ${randomWord()}`
            await engine.upsert([{ ...(documents[at] ?? makeDocument()), description }])
          }),
        )
        await ageFreeNumbers()
        for (const engine of engines) {
          await engine.settled()
          const { hits } = await ask(engine, 'q=chrysalis')
          expect(hits.map(({ uid }) => uid)).toEqual([documents[round % 2]?.uid ?? ''])
        }
      }
    } finally {
      await other.dispose()
    }
  })
})

describe('what was computed before a change', () => {
  test('is not returned after it, even if it was finished later', async () => {
    const reading = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    let isHeld = true
    // The posting lists are read before the change and arrive after it.
    const { $client: driver } = database.db as unknown as { $client: Driver }
    const { unsafe } = driver
    const hold = async (rows: unknown) => {
      const read = await rows
      reading.resolve()
      await goOn.promise
      return read
    }
    const slowed = spyOn(driver, 'unsafe').mockImplementation((text, ...rest) => {
      const rows = unsafe(text, ...rest)
      return isHeld && text.includes('search_postings" where') ? hold(rows) : rows
    })
    const engine = await openPostgresEngine(database)
    await engine.upsert([makeDocument({ name: 'Metronome', genres: ['puzzle'] })])
    await engine.settled()
    const before = ask(engine, 'q=metronome&genres=puzzle')
    await reading.promise
    isHeld = false
    await engine.upsert([makeDocument({ name: 'Metronome', genres: ['rpg'] })])
    await engine.settled()
    goOn.resolve()
    await before
    slowed.mockRestore()

    const { total, facets } = await ask(engine, 'q=metronome&genres=puzzle')
    expect(total).toBe(1)
    expect(facets.genres).toEqual([
      { value: 'puzzle', count: 1 },
      { value: 'rpg', count: 1 },
    ])
    expect((await ask(engine, 'q=metronome')).total).toBe(2)
  })
})
