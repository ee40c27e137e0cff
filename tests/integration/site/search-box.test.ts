import { beforeAll, describe, expect, test } from 'bun:test'

import { reindex } from '../../../src/features/catalog/search/reindex.ts'
import { insertPublicGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { useStore } from '../../helpers/store.ts'
import { waitFor } from '../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
  await insertPublicGame(server, owner, {
    name: 'Marmalade <b>Harbour</b>',
    genres: ['puzzle'],
    tags: ['oranges', 'cozy', 'sea'],
  })
  await insertPublicGame(server, owner, {
    name: 'Marmalade Secrets',
    adult: true,
    genres: ['horror'],
    tags: ['oranges', 'dark', 'sea'],
  })
  await insertPublicGame(server, owner, {
    name: 'Quince',
    genres: ['horror'],
    tags: ['quinces', 'dark', 'sea'],
  })
  await reindex(server.deps)
})

const open = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await server.fetch(path, { headers: { accept: 'text/html', ...headers } })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}
const listLinks = (text: string) =>
  [...text.matchAll(/<a role="option" id="([^"]+)" href="([^"]+)"/g)].map(([, id = '', href = '']) => ({
    id,
    href,
  }))
const suggest = (words: string, headers?: Record<string, string>) =>
  open(`/suggestions?q=${encodeURIComponent(words)}`, headers)

describe('the options of the search box', () => {
  test('lead to listings, filters, tags and all results, and hide what the search hides', async () => {
    const { status, text, headers } = await suggest('marm')
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    const links = listLinks(text)
    expect(links.map(({ href }) => href)).toEqual([expect.stringMatching(/^\/games\//), '/search?find=marm'])
    expect(new Set(links.map(({ id }) => id)).size).toBe(links.length)
    expect(text).toContain('Marmalade &lt;b>Harbour&lt;/b>')
    expect(text).not.toContain('Secrets')
    expect(listLinks((await suggest('oran')).text).map(({ href }) => href)).toContain('/search?tags=oranges')
    expect(listLinks((await suggest('puzz')).text).map(({ href }) => href)).toContain('/search?genres=puzzle')
  })

  test('honour the tags that a person hides', async () => {
    const reader = await signUp(server)
    await reader.json('PATCH', '/api/v1/private/me', { hidden_tags: ['quinces'] })
    expect((await suggest('quin')).text).toContain('>Quince<')
    expect((await suggest('quin', { cookie: reader.cookie })).text).not.toContain('>Quince<')
  })

  test.each(['', ' ', 'x', 'qqqqzzzz', '"', '-', '\u0000', '%', '\ud800', 'x'.repeat(5000)])(
    'are none for %p',
    async (words) => {
      const { status, text } = await suggest(words.toWellFormed())
      expect([[200, 400], listLinks(text)]).toEqual([expect.arrayContaining([status]), []])
    },
  )
})

describe('words that are understood', () => {
  test('can be dropped, or turned into the filter they name', async () => {
    const { text } = await open('/search?find=harbour+-horror+puzzle&sort=newest')
    const list = /<ul class="understood".*?<\/ul>/s.exec(text)?.[0] ?? ''
    const links = [...list.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
    expect(links).toContain('/search?find=harbour+-horror&sort=newest')
    expect(links).toContain('/search?find=harbour+-horror&sort=newest&genres=puzzle')
    expect(links).toContain('/search?find=harbour+puzzle&sort=newest')
    expect(links).toContain('/search?find=harbour+puzzle&sort=newest&exclude_genres=horror')
  })

  test('of a search that finds nothing say which to drop, and what that gives', async () => {
    const { text } = await open('/search?find=cozy+horror')
    expect(text).toContain('<h2>Nothing found</h2>')
    for (const [word, rest] of [
      ['cozy', 'horror'],
      ['horror', 'cozy'],
    ])
      expect(text).toContain(`<a href="/search?find=${rest}">Without <bdi>“${word}”</bdi></a>: 1 found`)
    expect(text).not.toContain('Without <bdi>“cozy horror”')
    expect((await open('/search?find=quokka')).text.match(/Without <bdi>[^<]+/g)).toEqual([
      'Without <bdi>“quokka”',
    ])
  })

  test('of a search that finds nothing come with the nearest ones', async () => {
    const { text } = await open('/search?find=marmelode')
    expect(text.includes('Marmalade &lt;b>') || text.includes('Did you mean')).toBe(true)
    expect((await open('/search?find=drak')).text).toMatch(/Did you mean <a [^>]*>dark<\/a>/)
  })
})

test('old links with q show their words in the box', async () => {
  const { text } = await open('/search?q=quince')
  expect(text).toContain('>Quince<')
  expect(/name="find"[^>]*aria-label="Search games"[^>]*value="([^"]*)"/.exec(text)?.[1]).toBe('quince')
})

test('operators see what was searched and not found', async () => {
  const operator = await signUpOperator(server)
  await waitFor('the words are counted', async () => {
    await open('/search?find=dinosaur+laundry')
    const { text } = await open('/operate/searches', { cookie: operator.cookie })
    return text.includes('dinosaur laundry')
  })
  const { text } = await open('/operate/searches', { cookie: operator.cookie })
  expect(text).toMatch(/<h1[^>]*>Searched, not found<\/h1>/)
  expect(text).toContain('href="/search?find=dinosaur%20laundry"')
  expect((await open('/operate/searches', { cookie: owner.cookie })).status).toBe(404)
})
