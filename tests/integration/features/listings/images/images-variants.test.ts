import { beforeAll, describe, expect, test } from 'bun:test'

import type { Image } from '../../../../../src/features/listings/images/model.ts'
import { removeObjects } from '../../../../../src/features/storage/service.ts'
import { drawPng, send } from '../../../../helpers/files/pictures.ts'
import { readData } from '../../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertGame(server, owner)
})

/** Returns the path of the picture without its extension. */
async function upload(kind: string, width: number, height: number): Promise<{ image: Image; path: string }> {
  const file = await drawPng(width, height)
  const image = await readData<Image>(
    await send(owner, `/api/v1/private/games/${game.uid}/images/${kind}`, file),
  )
  return { image, path: new URL(image.url).pathname.replace(/\.webp$/, '') }
}

const keysOf = async (prefix: string) =>
  (await Array.fromAsync(server.deps.objects.list(prefix))).map(({ key }) => key)

describe('pictures for editors that cannot read WebP', () => {
  test.each([
    ['icon.png', 'image/png', { width: 128, height: 128, format: 'png' }],
    ['small.jpg', 'image/jpeg', { width: 320, height: 180, format: 'jpeg' }],
    ['large.jpg', 'image/jpeg', { width: 1280, height: 720, format: 'jpeg' }],
  ] as const)('%s', async (variant, type, size) => {
    const { path } = await upload('cover', 1280, 720)
    const answer = await server.fetch(`${path}-${variant}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('cache-control')).toContain('must-revalidate')
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(await new Bun.Image(bytes).metadata()).toEqual(size)
    const etag = answer.headers.get('etag') ?? ''
    const again = await server.fetch(`${path}-${variant}`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  test('a small picture is not enlarged', async () => {
    const { path } = await upload('gallery', 200, 100)
    const answer = await server.fetch(`${path}-large.jpg`)
    expect(await new Bun.Image(Buffer.from(await answer.arrayBuffer())).metadata()).toMatchObject({
      width: 200,
      height: 100,
    })
  })

  test('many requests at once convert a picture once', async () => {
    const { path } = await upload('gallery', 800, 600)
    const answers = await Promise.all(Array.from({ length: 12 }, () => server.fetch(`${path}-small.jpg`)))
    const bodies = await Promise.all(answers.map((answer) => answer.arrayBuffer()))
    expect(new Set(bodies.map((body) => Bun.hash(body))).size).toBe(1)
  })

  test('unknown pictures and variants are missing', async () => {
    const { path } = await upload('gallery', 320, 180)
    for (const missing of [`${path}-huge.jpg`, `${path}-icon.jpg`, `/media/${'0'.repeat(64)}-icon.png`])
      expect((await server.fetch(missing)).status).toBe(404)
  })

  test('are deleted together with the picture', async () => {
    const { image, path } = await upload('gallery', 640, 480)
    await server.fetch(`${path}-icon.png`)
    const sha256 = path.slice('/media/'.length)
    expect(await keysOf(`variants/${sha256}`)).toHaveLength(1)
    const deleted = await owner.json('DELETE', `/api/v1/private/games/${game.uid}/images/${image.uid}`)
    expect(deleted.status).toBe(200)
    await removeObjects(server.deps, { keys: [`images/${sha256}.webp`] })
    expect(await keysOf(`variants/${sha256}`)).toEqual([])
    expect((await server.fetch(`${path}-icon.png`)).status).toBe(404)
  })

  test('are made again when the picture comes back at once', async () => {
    const { image, path } = await upload('gallery', 610, 480)
    const variant = `${path}-icon.png`
    expect((await server.fetch(variant)).status).toBe(200)
    await owner.json('DELETE', `/api/v1/private/games/${game.uid}/images/${image.uid}`)
    await removeObjects(server.deps, { keys: [`images/${path.slice('/media/'.length)}.webp`] })
    expect((await upload('gallery', 610, 480)).path).toBe(path)
    expect((await server.fetch(variant)).status).toBe(200)
  })
})
