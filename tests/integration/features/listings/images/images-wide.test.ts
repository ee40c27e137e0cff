import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { images as imageRows } from '../../../../../src/db/schema/games/game-pages.ts'
import type { Listing } from '../../../../../src/features/catalog/pages/model.ts'
import type { PageImages } from '../../../../../src/features/listings/images/model.ts'
import { drawPng, look, send } from '../../../../helpers/files/pictures.ts'
import { readData } from '../../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const imagesOf = ({ uid }: GameRow) => `/api/v1/private/games/${uid}/images`

async function upload(game: GameRow, width: number, height: number): Promise<void> {
  const answer = await send(owner, `${imagesOf(game)}/cover`, await drawPng(width, height))
  expect(answer.status).toBe(200)
}

async function wideOf({ uid }: GameRow) {
  return (await readData<Listing>(await server.fetch(`/api/v1/public/games/${uid}`))).cover_wide
}

describe('the cover in more pixels', () => {
  test.each([
    [2560, 1440, { width: 1920, height: 1080 }],
    [1600, 900, { width: 1600, height: 900 }],
    [2400, 945, { width: 1680, height: 945 }],
    [1500, 1500, null],
    [1280, 720, null],
  ])('of an upload of %i × %i', async (width, height, size) => {
    const game = await insertPublicGame(server, owner)
    await upload(game, width, height)
    const wide = await wideOf(game)
    if (size === null) return expect(wide).toBeNull()
    expect(wide).toMatchObject(size)
    const answer = await server.fetch(new URL(wide?.url ?? '').pathname)
    expect(await look(new Uint8Array(await answer.arrayBuffer()))).toMatchObject(size)
  })

  test('is chosen by browsers with wide windows, and fetched before the style sheet', async () => {
    const game = await insertPublicGame(server, owner)
    await upload(game, 1920, 1080)
    const html = await (await server.fetch(`/games/${game.vanityName}`)).text()
    const [, sources = ''] =
      /<div class="backdrop"><img srcset="([^"]+)" sizes="100vw" src="/.exec(html) ?? []
    const [cover, wide] = sources.split(', ')
    expect(cover).toMatch(/^\/media\/[0-9a-f]{64}\.webp 1280w$/)
    expect(wide).toBe(`${new URL((await wideOf(game))?.url ?? '').pathname} 1920w`)
    expect(html).toMatch(
      /<link rel="preload" as="image"[^>]* href="[^"]+" imagesrcset="[^"]+" imagesizes="100vw"/i,
    )
    expect(/imagesrcset="([^"]+)"/i.exec(html)?.[1]).toBe(sources)
  })

  test('ends with the cover that it belongs to, and is no picture of its own', async () => {
    const game = await insertPublicGame(server, owner)
    await upload(game, 1920, 1080)
    const images = await readData<PageImages>(await owner.fetch(imagesOf(game)))
    expect(Object.keys(images)).toEqual(['cover', 'thumbnail', 'gallery'])
    await upload(game, 1280, 720)
    expect(await wideOf(game)).toBeNull()
    await upload(game, 1920, 1080)
    const { cover } = await readData<PageImages>(await owner.fetch(imagesOf(game)))
    await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'draft' })
    expect((await owner.json('DELETE', `${imagesOf(game)}/${cover?.uid}`)).status).toBe(200)
    expect(await server.deps.db.$count(imageRows, eq(imageRows.gameUid, game.uid))).toBe(0)
  })

  test('is shown to nobody who did not ask for adult content', async () => {
    const game = await insertPublicGame(server, owner, { adult: true })
    await upload(game, 1920, 1080)
    expect(await wideOf(game)).toBeNull()
    expect(await (await server.fetch(`/games/${game.vanityName}`)).text()).not.toContain('/media/')
  })
})
