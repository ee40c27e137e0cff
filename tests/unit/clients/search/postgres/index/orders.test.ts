import { expect, test } from 'bun:test'

import { Columns } from '../../../../../../src/clients/search/postgres/index/columns.ts'
import { sortIndexes } from '../../../../../../src/clients/search/postgres/index/radix-sort.ts'
import { Vocabulary } from '../../../../../../src/clients/search/postgres/index/vocabulary.ts'
import { createRandom } from '../../../../../../src/lib/random.ts'
import {
  type IndexedListing,
  makeIndexed,
  searchColumns,
} from '../../../../../helpers/search/search-columns.ts'
import { makeWords } from '../../../../../helpers/search/search-documents.ts'
import { waitFor } from '../../../../../helpers/wait.ts'

/** More than are sorted by comparison. */
const MANY = 6000

test('whole numbers are sorted by their digits, the highest first', async () => {
  const random = createRandom('digits')
  const pick = () => random.pick([0, 1, -1, 2 ** 16, -(2 ** 32), 2 ** 46, -(2 ** 46), random.below(2 ** 30)])
  const keys = Float64Array.from({ length: MANY }, pick)
  const sorted = await sortIndexes(keys)
  expect(Array.from(sorted, (index) => keys[index])).toEqual([...keys].toSorted((a, b) => b - a))
  expect(new Set(sorted).size).toBe(MANY)
})

test('prepared orders are those that comparing gives, also after changes', async () => {
  const random = createRandom('numbers')
  const shape = { words: makeWords('numbers', 50), tags: makeWords('numbers tags', 20), length: 1 }
  const columns = new Columns()
  const listed: IndexedListing[] = []
  const write = (id: number) => {
    const listing = makeIndexed(random, shape)
    listed[id] = listing
    // Many have the same number, some of them also the same time.
    const document = {
      ...listing.document,
      popularity: random.below(3),
      price_cents: random.below(2) * 499,
      published_at: random.below(2000),
    }
    listed[id] = { uid: listed[id].uid, document }
    columns.put(id, listing.uid, document, id + 1)
  }
  for (let id = 0; id < MANY; id += 1) write(id)
  const expectOrders = async () => {
    for (const [sort, numberOf] of [
      ['popular', ({ document }: IndexedListing) => -document.popularity],
      ['price_high', ({ document }: IndexedListing) => -document.price_cents],
      ['price_low', ({ document }: IndexedListing) => document.price_cents],
    ] as const) {
      const wanted = listed
        .filter(({ document }) => !document.adult)
        .toSorted(
          (a, b) =>
            numberOf(a) - numberOf(b) ||
            b.document.published_at - a.document.published_at ||
            (a.uid < b.uid ? 1 : -1),
        )
        .map(({ uid }) => uid)
      const { hits } = await searchColumns(columns, `sort=${sort}&page=2&page_size=30`)
      expect(hits.map(({ uid }) => uid)).toEqual(wanted.slice(30, 60))
    }
  }
  await expectOrders()
  const orders = [columns.byPopularity, columns.byHighPrice, columns.byLowPrice]
  await waitFor('the orders are prepared', () => orders.every(({ isPrepared }) => isPrepared))
  await expectOrders()
  for (let changed = 0; changed < 50; changed += 1) write(random.below(MANY))
  await expectOrders()
})

test('a prepared order of names is the one that comparing them gives, also after changes', async () => {
  const random = createRandom('names')
  const shape = { words: makeWords('names', 400), tags: makeWords('names tags', 20), length: 1 }
  const vocabulary = new Vocabulary()
  // Ids are in no order of the words, and some words came later.
  const words = shape.words.map((word, id): [number, string] => [id, word])
  await vocabulary.apply(words.slice(0, 300))
  await vocabulary.apply(words.slice(300))
  const columns = new Columns()
  const names: string[] = []
  const write = (id: number) => {
    const { uid, document } = makeIndexed(random, shape)
    columns.put(id, uid, document, id + 1)
    names[id] = document.name.map((word) => shape.words[word]).join(' ')
  }
  for (let id = 0; id < MANY; id += 1) write(id)
  const take = async (count: number) => await columns.byWords.takeFirst(columns.alive, count, vocabulary)
  const expectSorted = async (count: number) => {
    const found = (await take(count)).map((id) => names[id])
    expect(found).toEqual(names.toSorted().slice(0, count))
  }
  await expectSorted(20)
  await waitFor('the order is prepared', () => columns.byWords.isPrepared)
  await expectSorted(20)
  await expectSorted(MANY)
  for (let changed = 0; changed < 50; changed += 1) write(random.below(MANY))
  await expectSorted(300)
})
