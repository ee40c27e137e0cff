import { beforeAll, describe, expect, test } from 'bun:test'

import { VALUE_CHARACTERS_MAX, VALUES_MAX } from '../../../../src/features/catalog/search/model.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { indexNow } from '../../../helpers/search/search.ts'
import { submitForm } from '../../../helpers/site/studio.ts'
import { useLoggedStore } from '../../../helpers/store.ts'

/** The longest address that the server reads. */
const ADDRESS_BYTES = 15_000
/** What a page of results may add to each byte of its address. */
const GROWTH = 60
const EMPTY_PAGE_BYTES = 100_000

const server = useLoggedStore({})
let owner: Person
let game: GameRow
beforeAll(async () => {
  owner = await signUp(server)
  game = await insertPublicGame(server, owner)
  await indexNow(server, game.uid)
})

async function open(path: string): Promise<{ status: number; text: string; location: string | null }> {
  const answer = await server.fetch(path, { headers: { accept: 'text/html' } })
  return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') }
}

/** Different values, each of `length` characters, as many as the address holds. */
function fill(prefix: string, length: number, separator = ','): string {
  let text = ''
  for (let count = 0; prefix.length + text.length < ADDRESS_BYTES; count += 1)
    text += (text === '' ? '' : separator) + count.toString(36).padStart(length, 'x')
  return prefix + text
}

const chipsOf = (text: string) => [...text.matchAll(/>Remove </g)].length

describe('an address with many values', () => {
  test.each([
    ['one list', () => fill('/search?tags=', 2)],
    ['one list of long values', () => fill('/search?tags=', VALUE_CHARACTERS_MAX)],
    ['an excluding list', () => fill('/search?exclude_tags=', 2)],
    ['a repeated parameter', () => fill('/search?engine=', 3, '&engine=')],
    ['a closed list', () => fill('/search?genres=', 2)],
    ['a parameter with one value', () => fill('/search?players=', 3, '&players=')],
    ['the text', () => fill('/search?q=', 3, '&q=')],
    ['excluded words', () => fill('/search?q=-a+', 3, '+-')],
    ['unknown parameters', () => fill('/search?a=', 4, '&a=')],
    [
      'every list at once',
      () =>
        ['tags', 'exclude_tags', 'engine', 'genres', 'tone', 'renderer', 'arch']
          .map((name) => fill(`${name}=`, 4).slice(0, ADDRESS_BYTES / 8))
          .reduce((query, part) => `${query}&${part}`, '/search?'),
    ],
  ])('makes a page that is linear in its length: %s', async (_, write) => {
    const path = write()
    const first = await open(path)
    const { status, text } = first.status === 303 ? await open(first.location ?? '') : first
    expect(status).toBe(200)
    expect(text.length).toBeLessThan(EMPTY_PAGE_BYTES + GROWTH * path.length)
  })

  test.each([
    ['as many as the API uses of a list', ['tags'], VALUES_MAX],
    ['a bounded number in all', ['tags', 'exclude_tags', 'engine'], 2 * VALUES_MAX],
  ])('uses %s, of which the first twenty can be removed one by one', async (_, names, used) => {
    const lists = names.map((name) => fill(`${name}=`, 3).slice(0, 4000))
    const { text } = await open(`/search?${lists.join('&')}`)
    expect(chipsOf(text)).toBe(20)
    expect(text).toContain(`and ${used - 20} more`)
  })

  test('finds nothing by a value that is too long, like the API', async () => {
    const long = 'x'.repeat(VALUE_CHARACTERS_MAX + 1)
    for (const name of ['tags', 'engine']) {
      const { text } = await open(`/search?${name}=${long}`)
      expect(text).toContain('<h2>Nothing found</h2>')
      expect(text).not.toContain(long + long)
    }
  })

  test('ignores values that a closed list does not have, like the API', async () => {
    const { text } = await open('/search?genres=bogus&arch=bogus&license=bogus')
    expect(chipsOf(text)).toBe(0)
    expect(text).toContain('1 game')
  })

  test('links each filter to the search without it, on its first page', async () => {
    const { text } = await open('/search?tags=cozy&tags=stars&sort=newest&page=2')
    expect(text).toContain('href="/search?tags=stars&amp;sort=newest"')
  })
})

describe('a page that guests share', () => {
  test.each([
    ['/', ''],
    ['/', '?show_hidden=perhaps'],
    ['/search', '?'],
    ['/search?tags=cozy', '&'],
    ['/games/NAME', '?'],
    ['/games/NAME', '?done=something'],
  ])('is the same for addresses that differ in what it does not read: %s%s', async (path, more) => {
    const address = path.replace('NAME', game.vanityName)
    const plain = await open(address)
    const other = await open(
      `${address}${more || '?'}${more.length > 1 ? '&' : ''}utm_source=${crypto.randomUUID()}`,
    )
    expect([plain.status, other.status]).toEqual([200, 200])
    expect(other.text).toBe(plain.text)
  })

  test('is the same for every spelling of its address', async () => {
    const spellings = [
      game.uid,
      game.uid.toUpperCase(),
      `%${game.vanityName.charCodeAt(0).toString(16)}${game.vanityName.slice(1)}`,
    ]
    const plain = await open(`/games/${game.vanityName}`)
    for (const spelling of spellings) expect((await open(`/games/${spelling}`)).text).toBe(plain.text)
  })
})

test('a page that would be too large is not built: an error page says so, and the log', async () => {
  const before = server.lines.length
  const answer = await submitForm(owner, '/studio/new', { name: 'x'.repeat(100_000), asset_type: 'game' })
  expect(answer.status).toBe(400)
  const name = '"'.repeat(1_000_000)
  const refused = await owner.fetch('/studio/new', {
    method: 'POST',
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    body: `asset_type=game&name=${name}`,
  })
  expect(refused.status).toBe(500)
  expect(await refused.text()).toContain('This page is too large to be shown.')
  const failures = server.lines.slice(before).filter(({ message }) => message === 'A request failed')
  expect(failures).toHaveLength(1)
  expect(JSON.stringify(failures[0])).toContain('/studio/new')
})
