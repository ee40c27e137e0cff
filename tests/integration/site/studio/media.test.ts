import { describe, expect, test } from 'bun:test'

import type { Videos } from '../../../../src/features/listings/videos/model.ts'
import { drawPng } from '../../../helpers/files/pictures.ts'
import { SMALL_MP4, SMALL_WEBM } from '../../../helpers/files/video-files.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { openTab, submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

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

describe('videos without script', () => {
  const readVideos = async (game: GameRow) =>
    (await readData<Videos>(await owner.fetch(`/api/v1/private/games/${game.uid}/videos`))).videos

  async function sendForm(game: GameRow, path: string, sent: Record<string, Blob | string>) {
    const body = new FormData()
    for (const [name, value] of Object.entries(sent)) body.set(name, value)
    const headers = { accept: 'text/html', origin: server.url }
    return await owner.fetch(`/studio/${game.vanityName}/media/${path}`, { method: 'POST', body, headers })
  }

  test('a file with a poster, a link, their order and their end', async () => {
    const game = await insertGame(server, owner)
    // Browsers send an empty file where none was chosen.
    const sent = { file: SMALL_WEBM, poster: new File([], '') }
    const answer = await sendForm(game, 'videos', sent)
    const done = `/studio/${game.vanityName}/media?done=video-added#videos`
    expect(answer.headers.get('location')).toBe(done)
    const linked = await submitForm(owner, `/studio/${game.vanityName}/media/videos/link`, {
      url: 'https://youtu.be/dQw4w9WgXcQ',
    })
    expect(linked.headers.get('location')).toBe(done)
    const [file, link] = await readVideos(game)
    expect([file?.kind, link?.kind]).toEqual(['file', 'link'])

    const path = `/studio/${game.vanityName}/media/videos`
    expect((await submitForm(owner, `${path}/${link?.uid}/move`, { to: '0' })).status).toBe(303)
    expect((await readVideos(game)).map(({ uid }) => uid)).toEqual([link?.uid ?? '', file?.uid ?? ''])
    await sendForm(game, `videos/${file?.uid}/poster`, { poster: await drawPng(64, 36) })
    expect((await readVideos(game)).map(({ poster }) => poster?.width)).toEqual([undefined, 64])
    const page = await openTab(owner, game, 'media')
    expect(page).toContain('Videos (2 of 4)')
    expect(page).toContain('At YouTube')
    expect(page).toMatch(/<video controls preload="none" src="\/media\/videos\/[^"]+"[^>]* poster="\/media\//)
    await submitForm(owner, `${path}/${file?.uid}/delete`, {})
    expect((await readVideos(game)).map(({ uid }) => uid)).toEqual([link?.uid ?? ''])
  })

  test('what is refused is told at its field', async () => {
    const game = await insertGame(server, owner)
    const refused = await sendForm(game, 'videos', { file: new File(['no film'], 'film.mp4') })
    expect(refused.status).toBe(400)
    const page = await refused.text()
    expect(page).toContain('<a href="#video-file">The file must be an MP4 or WebM video.</a>')
    expect(page).toContain('id="video-file-fault"')

    await sendForm(game, 'videos', { file: SMALL_MP4 })
    const [video] = await readVideos(game)
    const poster = await sendForm(game, `videos/${video?.uid}/poster`, { poster: new Blob(['no picture']) })
    expect(await poster.text()).toContain('id="poster-poster-fault"')
    const path = `/studio/${game.vanityName}/media/videos/link`
    const link = await submitForm(owner, path, { url: 'https://evil.example/film' })
    expect(await link.text()).toMatch(/href="#video-link-url">The link must be the https:\/\/ address/)
  })
})
