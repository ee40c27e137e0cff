import { beforeAll, describe, expect, test } from 'bun:test'

import { shelves } from '../../../../src/db/schema/catalog.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { indexNow, namesOf, searchFor } from '../../../helpers/search/search.ts'
import { useStore } from '../../../helpers/store.ts'

const ME = '/api/v1/private/me'

const server = useStore({ TRUST_PROXY: '1' })
let reader: Person
let bearer: Record<string, string>
beforeAll(async () => {
  const owner = await signUp(server)
  reader = await signUp(server)
  bearer = await bearerOf(reader)
  const games = [
    await insertPublicGame(server, owner, { name: 'Calm Harbour', tags: ['cozy', 'boats', 'sea'] }),
    await insertPublicGame(server, owner, { name: 'Grim Harbour', tags: ['gore', 'boats', 'sea'] }),
  ]
  await indexNow(server, ...games.map(({ uid }) => uid))
  const gameUids = games.map(({ uid }) => uid)
  await server.deps.db.insert(shelves).values({ kind: 'tonight', os: 'any', date: '2026-01-01', gameUids })
})

const hide = (hidden_tags: unknown) => reader.json('PATCH', ME, { hidden_tags })
const readShelf = async (query: string, headers: Record<string, string> = {}) =>
  namesOf(await readData(await server.fetch(`/api/v1/public/shelves/tonight${query}`, { headers })))

describe('tags that a person hides', () => {
  test('are none at first, stored as tags are, each once', async () => {
    expect(await readData<object>(await reader.fetch(ME))).toMatchObject({ hidden_tags: [] })
    const me = await readData<object>(await hide(['Body Horror', 'body_horror', 'gore']))
    expect(me).toMatchObject({ hidden_tags: ['body-horror', 'gore'] })
    expect(await readData<object>(await reader.fetch(ME))).toMatchObject({
      hidden_tags: ['body-horror', 'gore'],
    })
  })

  test.each([
    ['no tag', ['ünfit!']],
    ['an empty one', ['']],
    ['too long', ['x'.repeat(33)]],
    ['more than 50', Array.from({ length: 51 }, (_, n) => `tag-${n}`)],
    ['a text', 'gore'],
  ])('%s is refused and changes nothing', async (_, tags) => {
    await hide(['gore'])
    expect(await readFailure(await hide(tags))).toMatchObject({ status: 400, code: 4000 })
    expect(await readData<object>(await reader.fetch(ME))).toMatchObject({ hidden_tags: ['gore'] })
  })

  test('are left out of search and its counts, for this reader alone', async () => {
    await hide(['gore'])
    const found = await searchFor(server, 'q=harbour', bearer)
    expect([namesOf(found), found.total]).toEqual([['Calm Harbour'], 1])
    expect(found.facets.tags).not.toHaveProperty('gore')
    expect((await searchFor(server, 'q=harbour')).total).toBe(2)
    expect((await searchFor(server, 'q=harbour&show_hidden=true', bearer)).total).toBe(2)
  })

  test('are left out of shelves', async () => {
    await hide(['gore'])
    expect(await readShelf('', bearer)).toEqual(['Calm Harbour'])
    expect(await readShelf('')).toHaveLength(2)
    expect(await readShelf('?show_hidden=true', bearer)).toHaveLength(2)
  })

  test('are shown again at once when the list is emptied', async () => {
    await hide(['gore'])
    await searchFor(server, 'q=harbour', bearer)
    await hide([])
    expect((await searchFor(server, 'q=harbour', bearer)).total).toBe(2)
  })
})
