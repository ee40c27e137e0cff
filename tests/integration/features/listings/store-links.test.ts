import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const stranger = usePerson(server)

interface StoreLinks {
  store_links: { platform: string; label: string; url: string }[]
  stores: { platform: string; label: string; hosts: string[] }[]
}

const STEAM = 'https://store.steampowered.com/app/620/'
const pathOf = (game: { uid: string }) => `/api/v1/private/games/${game.uid}/store-links`
const makePath = async (values = {}) => pathOf(await insertGame(server, owner, values))
const link = (platform: string, url: string) => ({ platform, url })

async function saveOne(platform: string, url: string): Promise<string | undefined> {
  const answer = await owner.json('PUT', await makePath(), { store_links: [link(platform, url)] })
  if (answer.status !== 200) throw new Error(await answer.text())
  return (await readData<StoreLinks>(answer)).store_links[0]?.url
}

describe('store links', () => {
  test('are none at first, and the answer names eleven stores with their hosts', async () => {
    const answer = await readData<StoreLinks>(await owner.fetch(await makePath()))
    expect(answer.store_links).toEqual([])
    expect(answer.stores.map(({ platform }) => platform)).toEqual(
      Array.from({ length: 11 }, (_, index) => `store_${String(index + 1).padStart(2, '0')}`),
    )
    expect(new Set(answer.stores.map(({ label }) => label)).size).toBe(11)
    expect(answer.stores[0]).toEqual({
      platform: 'store_01',
      label: 'Steam',
      hosts: ['store.steampowered.com'],
    })
    const withSubdomains = answer.stores.filter(({ hosts }) => hosts.some((host) => host.startsWith('*.')))
    expect(withSubdomains.map(({ label }) => label)).toEqual(['itch.io'])
  })

  test('every host that is named is taken', async () => {
    const { stores } = await readData<StoreLinks>(await owner.fetch(await makePath()))
    for (const { platform, hosts } of stores) {
      for (const host of hosts) {
        const url = `https://${host.replace('*', 'studio')}/a-game`
        expect(await saveOne(platform, url)).toBe(url)
      }
    }
  })

  test('saving replaces all links in the order sent, and an empty list clears them', async () => {
    const path = await makePath()
    const first = [link('store_11', 'https://gamejolt.com/games/x/1'), link('store_01', STEAM)]
    expect(
      (await readData<StoreLinks>(await owner.json('PUT', path, { store_links: first }))).store_links,
    ).toEqual([
      { platform: 'store_11', label: 'Game Jolt', url: 'https://gamejolt.com/games/x/1' },
      { platform: 'store_01', label: 'Steam', url: STEAM },
    ])
    const second = [link('store_02', 'https://studio.itch.io/a-game')]
    await owner.json('PUT', path, { store_links: second })
    expect(await readData(await owner.fetch(path))).toMatchObject({
      store_links: [{ platform: 'store_02', label: 'itch.io', url: 'https://studio.itch.io/a-game' }],
    })
    await owner.json('PUT', path, { store_links: [] })
    expect(await readData(await owner.fetch(path))).toMatchObject({ store_links: [] })
  })

  test('the part after # is dropped', async () => {
    expect(await saveOne('store_01', `${STEAM}#reviews#more`)).toBe(STEAM)
  })

  test('255 characters are counted after that', async () => {
    const longest = STEAM.padEnd(255, 'x')
    expect(await saveOne('store_01', `${longest}#${'y'.repeat(300)}`)).toBe(longest)
  })

  test('an upper-case host is the same host', async () => {
    expect(await saveOne('store_01', 'https://Store.SteamPowered.COM/app/1')).toBeDefined()
  })

  test.each([
    ['an unknown platform', 'store_12', STEAM],
    ['a platform by its brand name', 'steam', STEAM],
    ['an inherited name as platform', 'constructor', STEAM],
    ['no https', 'store_01', 'http://store.steampowered.com/app/620/'],
    ['another protocol', 'store_01', 'javascript:alert(1)//store.steampowered.com'],
    ['no address', 'store_01', 'not a link'],
    ['an empty link', 'store_01', ''],
    ['no host', 'store_01', 'https://'],
    ['256 characters', 'store_01', STEAM.padEnd(256, 'x')],
    ['another site', 'store_01', 'https://example.org/app/620/'],
    ['the host of another store', 'store_01', 'https://gog.com/game/x'],
    ['a subdomain of a store without subdomains', 'store_01', 'https://www.store.steampowered.com/app/1'],
    ['the store as the beginning of a host', 'store_01', 'https://store.steampowered.com.evil.example/app/1'],
    ['the store as the end of a host', 'store_02', 'https://evilitch.io/a-game'],
    ['an empty subdomain', 'store_02', 'https://.itch.io/a-game'],
    ['the store as a user', 'store_01', 'https://store.steampowered.com@evil.example/app/1'],
    ['a user at the store', 'store_01', 'https://user:pass@store.steampowered.com/app/1'],
    ['a user before a subdomain', 'store_02', 'https://evil.example@studio.itch.io/a-game'],
    ['a port', 'store_01', 'https://store.steampowered.com:8443/app/1'],
    ['the usual port', 'store_01', 'https://store.steampowered.com:443/app/1'],
    ['a dot after the host', 'store_01', 'https://store.steampowered.com./app/1'],
    ['a Cyrillic look-alike', 'store_01', 'https://store.steampоwered.com/app/1'],
    ['full-width letters', 'store_01', 'https://ｓｔｏｒｅ.steampowered.com/app/1'],
    ['an encoded host', 'store_01', 'https://store.steampowered%2ecom/app/1'],
    ['a backslash', 'store_01', 'https://evil.example\\@store.steampowered.com/app/1'],
    ['a line break', 'store_01', 'https://store.steampowered.com/\napp/1'],
    ['a space before it', 'store_01', ` ${STEAM}`],
    ['one slash', 'store_01', 'https:/store.steampowered.com/app/1'],
    ['the store in the path', 'store_01', 'https://evil.example/store.steampowered.com/'],
    ['the store after #', 'store_01', 'https://evil.example#@store.steampowered.com/'],
  ])('%s is 422/4238', async (_, platform, url) => {
    const path = await makePath()
    const answer = await owner.json('PUT', path, { store_links: [link(platform, url)] })
    expect(await readFailure(answer)).toMatchObject({ status: 422, code: 4238 })
    expect(await readData(await owner.fetch(path))).toMatchObject({ store_links: [] })
  })

  test.each([
    ['no list', {}],
    ['null', { store_links: null }],
    ['an object instead of a list', { store_links: {} }],
    ['a text as link', { store_links: [STEAM] }],
    ['a link without url', { store_links: [{ platform: 'store_01' }] }],
    ['a link without platform', { store_links: [{ url: STEAM }] }],
    ['a number as url', { store_links: [{ platform: 'store_01', url: 7 }] }],
    ['a number as platform', { store_links: [{ platform: 1, url: STEAM }] }],
    ['an unknown field of a link', { store_links: [{ platform: 'store_01', url: STEAM, lable: 'Steam' }] }],
    ['an unknown field beside the list', { store_links: [], shops: [] }],
    ['two links of one store', { store_links: [link('store_01', STEAM), link('store_01', `${STEAM}x`)] }],
    ['twelve links', { store_links: Array.from({ length: 12 }, () => link('store_01', STEAM)) }],
    ['a list instead of an object', []],
  ])('%s is 422/4238', async (_, body) => {
    expect(await readFailure(await owner.json('PUT', await makePath(), body))).toMatchObject({
      status: 422,
      code: 4238,
    })
  })

  test('one fault refuses them all, and the answer names the field and the value', async () => {
    const path = await makePath()
    await owner.json('PUT', path, { store_links: [link('store_01', STEAM)] })
    const store_links = [link('store_03', 'https://gog.com/x'), link('store_02', 'https://evilitch.io/x')]
    const answer = await owner.json('PUT', path, { store_links })
    const message = 'store_links[1].url must point to itch.io or *.itch.io, not to "https://evilitch.io/x".'
    expect(await readJson<unknown>(answer)).toEqual({
      success: false,
      error: { code: 4238, message },
      data: { issues: [{ path: 'store_links.1.url', message }] },
    })
    expect(await readData(await owner.fetch(path))).toMatchObject({
      store_links: [link('store_01', STEAM)],
    })
  })

  test('a body that is no JSON is 400/4000', async () => {
    const answer = await owner.fetch(await makePath(), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"store_links": [',
    })
    expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
  })

  test('of a listing nobody else may see are missing for others, of a visible one forbidden', async () => {
    const hidden = await makePath()
    const shown = await makePath({ visibility: 'invisible' })
    for (const [path, wanted] of [
      [hidden, { status: 404, code: 4040 }],
      [shown, { status: 403, code: 4030 }],
    ] as const) {
      expect(await readFailure(await stranger.fetch(path))).toMatchObject(wanted)
      const answer = await stranger.json('PUT', path, { store_links: 'nonsense' })
      expect(await readFailure(answer)).toMatchObject(wanted)
    }
    expect((await server.fetch(shown)).status).toBe(401)
  })

  test('may be edited by an accepted admin, not by an invited one, and found by the vanity name', async () => {
    const game = await insertGame(server, owner)
    const [accepted, invited] = [await signUp(server), await signUp(server)]
    await insertAdmin(server, game.uid, accepted, 'accepted')
    await insertAdmin(server, game.uid, invited, 'invited')
    const path = pathOf({ uid: game.vanityName })
    const body = { store_links: [link('store_01', STEAM)] }
    expect((await accepted.json('PUT', path, body)).status).toBe(200)
    expect((await invited.json('PUT', path, body)).status).toBe(404)
  })

  test('a save moves updated_at, and saves at the same time leave one of them whole', async () => {
    const game = await insertGame(server, owner, { updatedAt: new Date(0) })
    const lists = [1, 2, 3, 4, 5, 6].map((id) => [
      link('store_01', `https://store.steampowered.com/app/${id}`),
      link('store_10', `https://play.google.com/store/apps/details?id=${id}`),
    ])
    const answers = await Promise.all(
      lists.map((store_links) => owner.json('PUT', pathOf(game), { store_links })),
    )
    expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 200))
    const [row] = await server.deps.db.select().from(games).where(eq(games.uid, game.uid))
    expect(lists).toContainEqual(row?.storeLinks ?? [])
    expect(row?.updatedAt.getTime()).toBeGreaterThan(0)
  })
})
