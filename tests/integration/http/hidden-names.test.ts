import { beforeAll, describe, expect, test } from 'bun:test'

import { readData, readFailure } from '../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame, insertPublicGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { SELLING_ENV } from '../../helpers/selling/selling.ts'
import { useStore } from '../../helpers/store.ts'

const SECRET = 'Unannounced'
const secretName = `${SECRET.toLowerCase()}-sequel`

const server = useStore({ TRUST_PROXY: '1', ...SELLING_ENV })
let maker: Person
let modder: Person
/** Was public, with a mod, links and players of its own; then it was hidden and renamed. */
let hidden: GameRow
let mod: GameRow

const pathOf = ({ uid }: GameRow) => `/api/v1/private/games/${uid}`
const changed = async (person: Person, method: string, path: string, body?: unknown) => {
  const answer = await person.json(method, path, body)
  expect(answer.status).toBeLessThan(300)
}

beforeAll(async () => {
  ;[maker, modder] = await Promise.all([signUp(server), signUp(server)])
  hidden = await insertPublicGame(server, maker, { name: 'Lighthouse' })
  mod = await insertPublicGame(server, modder, { assetType: 'plugin' })
  await changed(modder, 'PATCH', pathOf(mod), {
    parent: { game: hidden.uid },
    similar_titles: [hidden.uid],
    dependencies: [{ kind: 'supports', game: hidden.uid }],
  })
  await changed(maker, 'PATCH', pathOf(hidden), { dependencies: [{ kind: 'uses', game: mod.uid }] })
  await changed(modder, 'POST', `${pathOf(hidden)}/claim`)
  await changed(modder, 'PUT', `${pathOf(hidden)}/review`, { rating: 5, text: 'Bright.' })
  await changed(maker, 'PUT', `${pathOf(hidden)}/visibility`, { visibility: 'draft' })
  await changed(maker, 'PATCH', pathOf(hidden), { name: `${SECRET} Sequel`, vanity_name: secretName })
})

describe('the name a listing got after it was hidden', () => {
  test('is in no answer to someone who may not see the page', async () => {
    const routes = server.app.routes
      .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/v1/'))
      .map(({ path }) => path)
    expect(routes.length).toBeGreaterThan(40)
    for (const path of routes) {
      for (const { uid } of [mod, hidden]) {
        const params: Record<string, string> = { uid, game_id: uid, game_uid: uid, user_id: maker.uid }
        const url = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? 'none')
        const text = await (await modder.fetch(url)).text()
        expect([url, text.toLowerCase().includes(SECRET.toLowerCase())]).toEqual([url, false])
      }
    }
  })

  test('a mod keeps the uid of its parent, and can be saved with it', async () => {
    const parent = { game: hidden.uid, vanity_name: null, name: null, asset_type: null }
    expect(await readData(await modder.fetch(pathOf(mod)))).toMatchObject({ parent })
    const again = await modder.json('PATCH', pathOf(mod), { parent: { game: hidden.uid.toUpperCase() } })
    expect(await readData(again)).toMatchObject({ parent })
    const known = await readData(await maker.fetch(pathOf(hidden)))
    expect(known).toMatchObject({ name: `${SECRET} Sequel`, counts: { children: 1 } })
  })

  test('guessed as a parent it is refused like one that does not exist', async () => {
    const tell = async (game: string) => {
      const answer = await modder.json('PATCH', pathOf(mod), { parent: { game } })
      const text = (await answer.text()).replaceAll(game, 'the guess')
      return await readFailure(new Response(text, { status: answer.status }))
    }
    const [guessed, unknown] = [await tell(secretName), await tell('unannounced-nothing')]
    expect(guessed).toEqual(unknown)
    expect(guessed).toMatchObject({ status: 422, code: 4233 })
  })

  test('a library tells the name the game had when it was claimed', async () => {
    const library = await readData<{ items: { game: object }[] }>(
      await modder.fetch('/api/v1/private/library'),
    )
    expect(library.items).toMatchObject([
      { game: { uid: hidden.uid, name: 'Lighthouse', vanity_name: null } },
    ])
  })
})

describe('an admin of a mod', () => {
  test('learns nothing about other hidden listings of its owner', async () => {
    const admin = await signUp(server)
    const own = await insertGame(server, modder, { assetType: 'mod' })
    await insertAdmin(server, own.uid, admin, 'accepted')
    const draft = await insertGame(server, modder, { name: 'Not for admins' })
    const tell = async (game: string) =>
      await readFailure(await admin.json('PATCH', pathOf(own), { parent: { game } }))
    expect(await tell(draft.vanityName)).toMatchObject({ status: 422, code: 4233 })
    expect(await tell(draft.uid)).toMatchObject({ status: 422, code: 4233 })
    await changed(modder, 'PATCH', pathOf(own), { parent: { game: draft.uid } })
    expect(await readData(await admin.fetch(pathOf(own)))).toMatchObject({
      parent: { game: draft.uid, name: null },
    })
    expect(await readData(await modder.fetch(pathOf(own)))).toMatchObject({
      parent: { name: 'Not for admins' },
    })
  })
})
