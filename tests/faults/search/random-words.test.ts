import { afterAll, beforeAll, expect, test } from 'bun:test'

import { insertPublicGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { indexNow, searchFor } from '../../helpers/search/search.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'

const LISTINGS = 10
const WORDS_EACH = 5000
const ROUNDS = 15
/** Long enough that two random words never lie within a few typos of each other. */
const WORD_LENGTH = 14
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  owner = await signUp(server)
  const games = await Promise.all(
    Array.from({ length: LISTINGS }, () =>
      insertPublicGame(server, owner, { description: randomWords(WORDS_EACH) }),
    ),
  )
  await indexNow(server, ...games.map(({ uid }) => uid))
})
afterAll(() => server.stop())

function randomWords(count: number): string {
  const word = () =>
    Array.from(
      crypto.getRandomValues(new Uint8Array(WORD_LENGTH)),
      (byte) => LETTERS[byte % LETTERS.length],
    ).join('')
  return Array.from({ length: count }, word).join(' ')
}

/** The median of some searches, in milliseconds as the server tells them. */
async function timeSearches(words: number): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const { took_ms, total } = await searchFor(server, { q: randomWords(words) })
    expect(total).toBe(0)
    times.push(took_ms)
  }
  return times.toSorted((left, right) => left - right)[ROUNDS >> 1] ?? 0
}

test('many words that nobody has cost no more than one of them', async () => {
  await timeSearches(1)
  const one = await timeSearches(1)
  const many = await timeSearches(60)
  expect(many).toBeLessThan(Math.max(one, 5) * 4)
})
