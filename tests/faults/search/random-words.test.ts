import { beforeAll, expect, test } from 'bun:test'

import { insertPublicGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { indexNow, searchFor } from '../../helpers/search/search.ts'
import { useStore } from '../../helpers/store.ts'

const LISTINGS = 10
const WORDS_EACH = 5000
const ROUNDS = 15
/** Long enough that two random words never lie within a few typos of each other. */
const WORD_LENGTH = 14
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
  const games = await Promise.all(
    Array.from({ length: LISTINGS }, () =>
      insertPublicGame(server, owner, { description: randomWords(WORDS_EACH) }),
    ),
  )
  await indexNow(server, ...games.map(({ uid }) => uid))
})

function randomWords(count: number): string {
  const word = () =>
    Array.from(
      crypto.getRandomValues(new Uint8Array(WORD_LENGTH)),
      (byte) => LETTERS[byte % LETTERS.length],
    ).join('')
  return Array.from({ length: count }, word).join(' ')
}

/** In milliseconds, as the server tells it. */
async function timeSearch(words: number): Promise<number> {
  const { took_ms, total } = await searchFor(server, { q: randomWords(words) })
  expect(total).toBe(0)
  return took_ms
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((left, right) => left - right)[times.length >> 1] ?? 0
}

test('many words that nobody has cost no more than one of them', async () => {
  for (let round = 0; round < ROUNDS; round += 1) await timeSearch(1)
  const [one, many]: [number[], number[]] = [[], []]
  // In turn, so that a busy moment of the machine slows both.
  for (let round = 0; round < ROUNDS; round += 1) {
    one.push(await timeSearch(1))
    many.push(await timeSearch(60))
  }
  expect(medianOf(many)).toBeLessThan(Math.max(medianOf(one), 5) * 4)
})
