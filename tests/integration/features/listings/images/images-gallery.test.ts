import { describe, expect, test } from 'bun:test'

import type { Image, PageImages } from '../../../../../src/features/listings/images/model.ts'
import { drawPng, send } from '../../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const pathOf = (game: GameRow, rest = '') => `/api/v1/private/games/${game.uid}/images${rest}`
const add = async (game: GameRow, width = 32) =>
  await send(owner, pathOf(game, '/gallery'), await drawPng(width, 18))
const order = (game: GameRow, body: unknown) => owner.json('PUT', pathOf(game, '/gallery/order'), body)
const uidsOf = async (game: GameRow) =>
  (await readData<PageImages>(await owner.fetch(pathOf(game)))).gallery.map(({ uid }) => uid)

async function fill(game: GameRow, count: number): Promise<string[]> {
  const uids: string[] = []
  while (uids.length < count) uids.push((await readData<Image>(await add(game))).uid)
  return uids
}

describe('the gallery', () => {
  test('holds 12 images, however many come at once', async () => {
    const game = await insertGame(server, owner)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, turn) => add(game, 20 + turn)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(12)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const answer of refused) {
      expect(await readFailure(answer)).toMatchObject({
        status: 400,
        code: 4000,
        message: 'The gallery already has 12 images. Delete one first.',
        data: { issues: [{ path: 'file' }] },
      })
    }
    const [first = '', ...others] = await uidsOf(game)
    expect(others).toHaveLength(11)
    expect((await owner.json('DELETE', pathOf(game, `/${first}`))).status).toBe(200)
    const { uid } = await readData<Image>(await add(game))
    expect(await uidsOf(game)).toEqual([...others, uid])
  })

  test('keeps the order it is given, and grows at the end', async () => {
    const game = await insertGame(server, owner)
    const [a = '', b = '', c = ''] = await fill(game, 3)
    expect(await uidsOf(game)).toEqual([a, b, c])
    const answer = await order(game, { uids: [c, a, b] })
    expect(answer.status).toBe(200)
    expect((await readData<PageImages>(answer)).gallery.map(({ uid }) => uid)).toEqual([c, a, b])
    const { uid: d } = await readData<Image>(await add(game))
    expect(await uidsOf(game)).toEqual([c, a, b, d])
    await owner.json('DELETE', pathOf(game, `/${a}`))
    expect(await uidsOf(game)).toEqual([c, b, d])
  })

  test('an empty one has an order too', async () => {
    const game = await insertGame(server, owner)
    expect((await order(game, { uids: [] })).status).toBe(200)
  })

  test('an order must name each image exactly once (400/4000)', async () => {
    const game = await insertGame(server, owner)
    const other = await insertGame(server, owner)
    const [a = '', b = ''] = await fill(game, 2)
    const [foreign = ''] = await fill(other, 1)
    const cover = await readData<Image>(await send(owner, pathOf(game, '/cover'), await drawPng(32, 18)))
    const bodies = [
      { uids: [] },
      { uids: [a] },
      { uids: [a, a] },
      { uids: [a, b, b] },
      { uids: [a, foreign] },
      { uids: [a, b, cover.uid] },
      { uids: [a, 'not-a-uid'] },
      { uids: [a, 7] },
      { uids: Array.from({ length: 13 }, () => a) },
      { uids: `${a},${b}` },
      { uids: [b, a], more: true },
      {},
      [b, a],
    ]
    for (const body of bodies) {
      expect(await readFailure(await order(game, body))).toMatchObject({ status: 400, code: 4000 })
    }
    expect(await uidsOf(game)).toEqual([a, b])
  })

  test('ten orders at once leave one of them', async () => {
    const game = await insertGame(server, owner)
    const uids = await fill(game, 3)
    const turned = uids.toReversed()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, turn) => order(game, { uids: turn % 2 === 0 ? uids : turned })),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect([uids, turned]).toContainEqual(await uidsOf(game))
  })

  test('two covers at once leave one', async () => {
    const game = await insertGame(server, owner)
    const pictures = await Promise.all([drawPng(32, 18), drawPng(36, 36), drawPng(18, 32)])
    const answers = await Promise.all(pictures.map((file) => send(owner, pathOf(game, '/cover'), file)))
    const made = await Promise.all(answers.map((answer) => readData<Image>(answer)))
    const { cover } = await readData<PageImages>(await owner.fetch(pathOf(game)))
    expect(made.map(({ uid }) => uid)).toContain(cover?.uid ?? '')
  })
})
