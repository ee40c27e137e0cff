import { beforeAll, describe, expect, test } from 'bun:test'

import type { ChildCard } from '../../../../src/features/catalog/pages/model.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

type Page = { items: ChildCard[]; total: number; page: number; page_size: number }

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const modder = usePerson(server)
let parent: GameRow

beforeAll(async () => {
  parent = await insertPublicGame(server, owner)
  const children = [
    ['mod', modder, 1],
    ['tool', owner, 2],
    ['plugin', owner, 3],
    ['application', modder, 4],
  ] as const
  for (const [assetType, maker, day] of children) {
    await insertGame(server, maker, {
      name: assetType,
      assetType,
      visibility: 'public',
      parentUid: parent.uid,
      publishedAt: new Date(Date.UTC(2026, 0, day)),
    })
  }
  for (const visibility of ['draft', 'owner', 'invisible'] as const) {
    await insertGame(server, modder, { assetType: 'mod', visibility, parentUid: parent.uid })
  }
})

const children = async (query = '', game = parent): Promise<Page> =>
  await readData(await server.fetch(`/api/v1/public/games/${game.vanityName}/children${query}`))
const namesOf = ({ items }: Page) => items.map(({ name }) => name)

describe('children', () => {
  test.each([
    ['', ['application', 'plugin', 'tool', 'mod']],
    ['?kind=', ['application', 'plugin', 'tool', 'mod']],
    ['?kind=mods', ['plugin', 'mod']],
    ['?kind=tools', ['application', 'tool']],
    ['?kind=MODS', ['application', 'plugin', 'tool', 'mod']],
    ['?kind=maps', ['application', 'plugin', 'tool', 'mod']],
  ])('%p lists the public ones, newest first', async (query, expected) => {
    const page = await children(query)
    expect(namesOf(page)).toEqual(expected)
    expect(page).toMatchObject({ total: expected.length, page: 1, page_size: 20 })
  })

  test('carry kind and same_creator', async () => {
    const { items } = await children()
    const told = items.map(({ name, kind, same_creator }) => [name, kind, same_creator])
    expect(told).toEqual([
      ['application', 'tool', false],
      ['plugin', 'mod', true],
      ['tool', 'tool', true],
      ['mod', 'mod', false],
    ])
  })

  test('are cards', async () => {
    const { items } = await children('?kind=mods')
    const [card] = items
    expect(card).toMatchObject({
      asset_type: 'plugin',
      visibility: 'public',
      developer: { uid: owner.uid },
      parent: { game: parent.uid },
      health: { band: 'unrated' },
      scan: null,
      platforms: [],
      playable: false,
      score: 0,
      matched_tags: [],
      engines: [],
      content_warnings: [],
    })
    expect(card).not.toHaveProperty('description')
  })

  test('come in pages', async () => {
    const page = await children('?page=2&page_size=3')
    expect(namesOf(page)).toEqual(['mod'])
    expect(page).toMatchObject({ total: 4, page: 2, page_size: 3 })
    expect(await children('?page=3')).toMatchObject({ items: [], total: 4 })
    expect(await children('?page=-1&page_size=999')).toMatchObject({ page: 1, page_size: 50 })
  })

  test('a listing without any has an empty list', async () => {
    expect(await children('', await insertPublicGame(server, owner))).toMatchObject({ items: [], total: 0 })
  })

  test('are limited', async () => {
    const answer = await server.fetch(`/api/v1/public/games/${parent.uid}/children`)
    expect(answer.headers.get('ratelimit-limit')).toBe('1200')
  })
})
