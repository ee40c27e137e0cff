import { beforeAll, describe, expect, test } from 'bun:test'

import { drawPng } from '../../../helpers/files/pictures.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { openTab, submitForm } from '../../../helpers/site/studio.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
})

interface Images {
  cover: { uid: string; width: number } | null
  gallery: { uid: string }[]
}

const readImages = async (game: GameRow) =>
  await readData<Images>(await owner.fetch(`/api/v1/private/games/${game.uid}/images`))

async function upload(person: Person, game: GameRow, kind: string, file: Blob, origin = server.url) {
  const body = new FormData()
  body.set('file', file, 'picture.png')
  const headers = { accept: 'text/html', origin }
  return await person.fetch(`/studio/${game.vanityName}/media/${kind}`, { method: 'POST', body, headers })
}

describe('pictures without script', () => {
  test('a cover is uploaded, replaced and deleted', async () => {
    const game = await insertGame(server, owner)
    const picture = await drawPng(1600, 1200)
    const answer = await upload(owner, game, 'cover', picture)
    expect(answer.headers.get('location')).toBe(`/studio/${game.vanityName}/media?done=uploaded#cover`)
    const first = (await readImages(game)).cover
    expect(first?.width).toBe(1280)
    await upload(owner, game, 'cover', await drawPng(1280, 720))
    const second = (await readImages(game)).cover
    expect(second?.uid).not.toBe(first?.uid ?? '')
    const path = `/studio/${game.vanityName}/media/images/${second?.uid}/delete`
    expect((await submitForm(owner, path, {})).status).toBe(303)
    expect((await readImages(game)).cover).toBeNull()
  })

  test('screenshots are moved earlier and later', async () => {
    const game = await insertGame(server, owner)
    for (const width of [640, 660, 680]) await upload(owner, game, 'gallery', await drawPng(width, 360))
    const uids = async () => (await readImages(game)).gallery.map(({ uid }) => uid)
    const [a = '', b = '', c = ''] = await uids()
    const move = (uid: string, to: number) =>
      submitForm(owner, `/studio/${game.vanityName}/media/images/${uid}/move`, { to: String(to) })
    await move(c, 1)
    expect(await uids()).toEqual([a, c, b])
    await move(a, 2)
    expect(await uids()).toEqual([c, b, a])
    expect(await openTab(owner, game, 'media')).toContain('aria-label="Move screenshot 3 earlier"')
  })

  test('a file that is no picture is refused with the reason at its field', async () => {
    const game = await insertGame(server, owner)
    const answer = await upload(owner, game, 'thumbnail', new Blob(['not a picture'], { type: 'image/png' }))
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(page).toContain('id="thumbnail-file-fault"')
    expect(page).toMatch(/role="alert"><ul><li><a href="#thumbnail-file">/)
  })

  test('the cover of a public page stays', async () => {
    const game = await insertPublicGame(server, owner)
    const { cover } = await readImages(game)
    const answer = await submitForm(owner, `/studio/${game.vanityName}/media/images/${cover?.uid}/delete`, {})
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining('Upload a cover image.'),
    ])
    expect((await readImages(game)).cover).not.toBeNull()
  })

  test('a stranger and a foreign origin are refused before the file is read', async () => {
    const game = await insertPublicGame(server, owner)
    const picture = await drawPng(64, 36)
    expect((await upload(await signUp(server), game, 'gallery', picture)).status).toBe(404)
    expect((await upload(owner, game, 'gallery', picture, 'https://evil.example')).status).toBe(403)
    expect((await readImages(game)).gallery).toEqual([])
  })
})
