import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { images } from '../../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../../src/db/schema/games/games.ts'
import type { Image, PageImages } from '../../../../../src/features/listings/images/model.ts'
import { loadCovers, loadPageImages } from '../../../../../src/features/listings/images/service.ts'
import {
  BLUE,
  CLEAR,
  type Colour,
  COLUMNS,
  drawJpeg,
  drawPng,
  drawWebp,
  GREEN,
  isNear,
  look,
  type Paint,
  RED,
  ROWS,
  send,
} from '../../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame, insertPublicGame } from '../../../../helpers/listings.ts'
import { signUp } from '../../../../helpers/people.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const pathOf = (game: GameRow, rest = '') => `/api/v1/private/games/${game.uid}/images${rest}`
const upload = async (game: GameRow, kind: string, file: Blob, person = owner) =>
  await send(person, pathOf(game, `/${kind}`), file)
const listOf = async (game: GameRow) => await readData<PageImages>(await owner.fetch(pathOf(game)))

async function seen(image: Image) {
  const answer = await server.fetch(new URL(image.url).pathname)
  return await look(new Uint8Array(await answer.arrayBuffer()))
}

describe('sizes', () => {
  const FOUR_TO_THREE = [800, 600] as const
  test.each<[string, string, readonly [number, number], readonly [number, number]]>([
    ['larger', 'cover', [2560, 1440], [1280, 720]],
    ['smaller', 'cover', [320, 180], [1280, 720]],
    ['4:3', 'cover', FOUR_TO_THREE, [1280, 720]],
    ['upright', 'cover', [300, 900], [1280, 720]],
    ['a narrow strip', 'cover', [4000, 16], [1280, 720]],
    ['larger', 'thumbnail', [2000, 500], [640, 360]],
    ['smaller', 'thumbnail', [16, 16], [640, 360]],
    ['larger', 'gallery', [3840, 2160], [1920, 1080]],
    ['4:3', 'gallery', [2400, 1800], [1440, 1080]],
    ['a narrow strip', 'gallery', [3840, 20], [1920, 10]],
    ['smaller', 'gallery', FOUR_TO_THREE, FOUR_TO_THREE],
  ])('a picture that is %s as %s', async (_, kind, [width, height], [wide, high]) => {
    const game = await insertGame(server, owner)
    const answer = await upload(game, kind, await drawPng(width, height))
    expect(answer.status).toBe(kind === 'gallery' ? 201 : 200)
    const image = await readData<Image>(answer)
    expect(image).toMatchObject({ kind, width: wide, height: high })
    expect(await seen(image)).toMatchObject({ width: wide, height: high })
  })

  test.each<[string, readonly [number, number], Paint, (at: number) => [number, number]]>([
    ['left and right', [2400, 720], COLUMNS, (at) => [at, 0.5]],
    ['top and bottom', [640, 600], ROWS, (at) => [0.5, at]],
  ])('a cover is cut %s, the same on both sides', async (_, [width, height], paint, place) => {
    const game = await insertGame(server, owner)
    const cover = await seen(
      await readData<Image>(await upload(game, 'cover', await drawPng(width, height, paint))),
    )
    for (const at of [0.01, 0.5, 0.99]) expect(isNear(cover.at(...place(at)), GREEN)).toBe(true)
  })

  test('a cover of the right ratio keeps its edges, a gallery picture always does', async () => {
    const game = await insertGame(server, owner)
    for (const [kind, picture] of [
      ['cover', await drawPng(640, 360)],
      ['gallery', await drawPng(2400, 720)],
    ] as const) {
      const shown = await seen(await readData<Image>(await upload(game, kind, picture)))
      const colours = [0.02, 0.5, 0.98].map((x) => shown.at(x, 0.5))
      for (const [index, colour] of [RED, GREEN, BLUE].entries()) {
        expect(isNear(colours[index] as Colour, colour)).toBe(true)
      }
    }
  })

  test('what is seen through stays so', async () => {
    const game = await insertGame(server, owner)
    const half = await drawPng(640, 360, (x) => (x < 0.5 ? CLEAR : RED))
    const shown = await seen(await readData<Image>(await upload(game, 'cover', half)))
    expect(shown.at(0.1, 0.5)[3]).toBe(0)
    expect(shown.at(0.9, 0.5)[3]).toBe(255)
  })

  test.each([
    ['PNG', drawPng],
    ['JPEG', drawJpeg],
    ['WebP', drawWebp],
  ])('%s is taken, whatever neutral type it is sent as', async (_, draw) => {
    const game = await insertGame(server, owner)
    const picture = await draw(640, 360)
    expect((await upload(game, 'cover', picture)).status).toBe(200)
    const neutral = new Blob([picture], { type: 'application/octet-stream' })
    const shown = await seen(await readData<Image>(await upload(game, 'cover', neutral)))
    expect(isNear(shown.at(0.5, 0.5), GREEN)).toBe(true)
  })
})

describe('the pictures of a page', () => {
  test('begin with none; cover and thumbnail replace the one before under a new uid', async () => {
    const game = await insertGame(server, owner)
    expect(await listOf(game)).toEqual({ cover: null, thumbnail: null, gallery: [] })
    const first = await readData<Image>(await upload(game, 'cover', await drawPng(64, 36)))
    const second = await readData<Image>(await upload(game, 'cover', await drawPng(64, 36, ROWS)))
    const again = await readData<Image>(await upload(game, 'cover', await drawPng(64, 36)))
    const thumbnail = await readData<Image>(await upload(game, 'thumbnail', await drawPng(64, 36)))
    expect(new Set([first.uid, second.uid, again.uid])).toHaveProperty('size', 3)
    expect(again.url).toBe(first.url)
    expect(await listOf(game)).toEqual({ cover: again, thumbnail, gallery: [] })
    expect(await loadPageImages(server.deps, game.uid)).toEqual(await listOf(game))
  })

  test('count as edits', async () => {
    const game = await insertGame(server, owner, { updatedAt: new Date('2020-01-01') })
    const changedAt = async () => {
      const [row] = await server.deps.db.select().from(games).where(eq(games.uid, game.uid))
      await server.deps.db
        .update(games)
        .set({ updatedAt: new Date('2020-01-01') })
        .where(eq(games.uid, game.uid))
      return row?.updatedAt.getUTCFullYear()
    }
    const { uid } = await readData<Image>(await upload(game, 'gallery', await drawPng(64, 36)))
    expect(await changedAt()).toBeGreaterThan(2020)
    await owner.json('PUT', pathOf(game, '/gallery/order'), { uids: [uid] })
    expect(await changedAt()).toBeGreaterThan(2020)
    await owner.json('DELETE', pathOf(game, `/${uid}`))
    expect(await changedAt()).toBeGreaterThan(2020)
    await owner.json('DELETE', pathOf(game, `/${uid}`))
    expect(await changedAt()).toBe(2020)
  })

  test('are read for many pages at once', async () => {
    const [both, none] = [await insertGame(server, owner), await insertGame(server, owner)]
    const cover = await readData<Image>(await upload(both, 'cover', await drawPng(64, 36)))
    const thumbnail = await readData<Image>(await upload(both, 'thumbnail', await drawPng(64, 36)))
    await upload(both, 'gallery', await drawPng(64, 36))
    const covers = await loadCovers(server.deps, [both.uid, none.uid])
    expect(covers).toEqual(new Map([[both.uid, { cover, thumbnail }]]))
    expect(await loadCovers(server.deps, [])).toEqual(new Map())
  })

  test('a public page may change its cover, but not lose it (422/4225)', async () => {
    const game = await insertPublicGame(server, owner)
    const cover = await readData<Image>(await upload(game, 'cover', await drawPng(64, 36)))
    expect((await listOf(game)).cover).toEqual(cover)
    const answer = await owner.json('DELETE', pathOf(game, `/${cover.uid}`))
    expect(await readFailure(answer)).toMatchObject({
      status: 422,
      code: 4225,
      data: { lint: { ok: false, errors: [{ code: 'cover_missing' }] } },
    })
    expect((await listOf(game)).cover).toEqual(cover)
    const thumbnail = await readData<Image>(await upload(game, 'thumbnail', await drawPng(64, 36)))
    expect(await (await owner.json('DELETE', pathOf(game, `/${thumbnail.uid}`))).json()).toEqual({
      success: true,
      data: {},
    })
  })

  test('an image that is not of this page is 404/4040', async () => {
    const [game, other] = [await insertGame(server, owner), await insertGame(server, owner)]
    const { uid } = await readData<Image>(await upload(other, 'gallery', await drawPng(64, 36)))
    for (const name of [uid, crypto.randomUUID(), 'not-a-uid']) {
      const answer = await owner.json('DELETE', pathOf(game, `/${name}`))
      expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4040 })
    }
    expect((await listOf(other)).gallery).toHaveLength(1)
  })
})

describe('who may', () => {
  test('the owner and accepted admins, by uid or vanity name', async () => {
    const game = await insertGame(server, owner)
    const admin = await signUp(server)
    await insertAdmin(server, game.uid, admin, 'accepted')
    expect((await upload(game, 'cover', await drawPng(64, 36), admin)).status).toBe(200)
    const path = `/api/v1/private/games/${game.vanityName}/images`
    expect((await send(owner, `${path}/thumbnail`, await drawPng(64, 36))).status).toBe(200)
    expect((await admin.fetch(path)).status).toBe(200)
  })

  test('others get 404 on a draft and 403 on a public page, before their file is read', async () => {
    const maker = await signUp(server)
    const stranger = await signUp(server)
    const draft = await insertGame(server, maker)
    const open = await insertPublicGame(server, maker)
    for (const [game, status, code] of [
      [draft, 404, 4040],
      [open, 403, 4030],
    ] as const) {
      const nonsense = { headers: { 'content-type': 'text/plain' }, body: 'no form at all' }
      const calls = [
        stranger.fetch(pathOf(game)),
        stranger.fetch(pathOf(game, '/cover'), { method: 'PUT', ...nonsense }),
        stranger.fetch(pathOf(game, '/thumbnail'), { method: 'PUT', ...nonsense }),
        stranger.fetch(pathOf(game, '/gallery'), { method: 'POST', ...nonsense }),
        stranger.json('PUT', pathOf(game, '/gallery/order'), { uids: [] }),
        stranger.json('DELETE', pathOf(game, `/${crypto.randomUUID()}`)),
      ]
      for (const answer of await Promise.all(calls)) {
        expect(await readFailure(answer)).toMatchObject({ status, code })
      }
    }
    expect((await server.fetch(pathOf(draft))).status).toBe(401)
    expect(await server.deps.db.select().from(images).where(eq(images.gameUid, draft.uid))).toEqual([])
  })
})
