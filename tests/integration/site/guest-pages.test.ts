import { beforeAll, describe, expect, spyOn, test } from 'bun:test'

import { notifyChange } from '../../../src/features/games/service.ts'
import { THEME_COOKIE } from '../../../src/http/visit.ts'
import * as html from '../../../src/site/kit/html.ts'
import { insertBuild, insertFile, pointChannel } from '../../helpers/builds.ts'
import { watchStatements } from '../../helpers/catalog.ts'
import { type GameRow, insertLicense, insertPublicGame, verifyEmail } from '../../helpers/listings.ts'
import { indexNow } from '../../helpers/search/search.ts'
import { usePerson, useStore } from '../../helpers/store.ts'
import { waitFor } from '../../helpers/wait.ts'

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64)'
/** Session, access, licence, beta files; what a guest's page asks for twice is the state of the listing. */
const OWN_STATEMENTS = 4
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const player = usePerson(server)
let game: GameRow

beforeAll(async () => {
  await Promise.all([owner, player].map((person) => verifyEmail(server, person)))
})

async function publish(): Promise<GameRow> {
  const listing = await insertPublicGame(server, owner, { name: `Lamp ${crypto.randomUUID()}` })
  await indexNow(server, listing.uid)
  return listing
}

/** What a guest sees; asked for twice, so that the second answer may come from the cache. */
async function read(path: string, headers: Record<string, string> = {}): Promise<string> {
  const ask = () => server.fetch(path, { headers: { accept: 'text/html', ...headers } })
  await (await ask()).text()
  return await (await ask()).text()
}

const pagesWith = ({ vanityName }: GameRow) => ['/', '/search?sort=newest', `/games/${vanityName}`]

const edit = (changes: object) => owner.json('PATCH', `/api/v1/private/games/${game.uid}`, changes)

describe('a page that guests share', () => {
  test('is rendered once while nothing changes', async () => {
    game = await publish()
    for (const path of pagesWith(game)) {
      // The index and the caches may still take in what was published just now.
      await waitFor(`${path} from the cache`, async () => {
        await read(path)
        const rendering = spyOn(html, 'renderHtml')
        try {
          await read(path)
          return rendering.mock.calls.length === 0
        } finally {
          rendering.mockRestore()
        }
      })
    }
  })

  test('shows an edit at once', async () => {
    game = await publish()
    for (const path of pagesWith(game)) expect(await read(path)).toContain(game.name)
    const name = `Renamed ${crypto.randomUUID()}`
    expect((await edit({ name })).status).toBe(200)
    for (const path of pagesWith(game)) expect(await read(path)).toContain(name)
  })

  test('disappears at once when the listing is hidden', async () => {
    game = await publish()
    for (const path of pagesWith(game)) expect(await read(path)).toContain(game.name)
    const moved = { visibility: 'draft' }
    expect((await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, moved)).status).toBe(200)
    for (const path of pagesWith(game)) expect(await read(path)).not.toContain(game.name)
  })

  test('shows reviews, builds and mods once they are announced', async () => {
    game = await publish()
    const page = `/games/${game.vanityName}`
    expect(await read(page)).toContain('Nobody has reviewed it yet.')
    await insertLicense(server, game.uid, player)
    const review = { rating: 5, text: 'The lamp turns.' }
    await player.json('PUT', `/api/v1/private/games/${game.uid}/review`, review)
    await waitFor('the review', async () => (await read(page)).includes(review.text))
    await player.fetch(`/api/v1/private/games/${game.uid}/review`, { method: 'DELETE' })
    await waitFor('its deletion', async () => !(await read(page)).includes(review.text))

    const build = await insertBuild(server, game.uid, { version: '3.2.1' })
    await insertFile(server, build)
    await pointChannel(server, build)
    await server.deps.db.transaction((tx) => notifyChange(tx, game.uid))
    await waitFor('the build', async () => (await read(page)).includes('3.2.1'))

    const mod = await insertPublicGame(server, owner, {
      name: 'A mod of its own',
      assetType: 'mod',
      parentUid: game.uid,
    })
    await server.deps.db.transaction((tx) => notifyChange(tx, game.uid))
    await waitFor('the mod', async () => (await read(page)).includes(mod.name))
    await owner.json('PATCH', `/api/v1/private/games/${mod.uid}`, { name: 'Brighter lamps for all' })
    await waitFor('its name', async () => (await read(page)).includes('Brighter lamps for all'))
  })

  test('differs by theme, system and encoding, and is never the page of a person', async () => {
    game = await publish()
    for (const os of ['linux', 'windows'] as const) {
      const build = await insertBuild(server, game.uid, { os })
      await insertFile(server, build)
      await pointChannel(server, build)
    }
    const page = `/games/${game.vanityName}`
    const firstSystem = (text: string) => /class="build-line">.*?<span>(\w+) /s.exec(text)?.[1]
    expect(firstSystem(await read(page, { 'user-agent': LINUX }))).toBe('Linux')
    expect(firstSystem(await read(page, { 'user-agent': WINDOWS }))).toBe('Windows')
    expect(await read(page, { cookie: `${THEME_COOKIE}=dark` })).toContain('data-theme="dark"')
    expect(await read(page)).not.toContain('data-theme')
    for (const path of pagesWith(game)) {
      expect(await read(path, { cookie: player.cookie })).toContain('Sign out')
      expect(await read(path)).not.toContain('Sign out')
      for (const encoding of ['gzip', 'zstd', 'identity']) {
        const response = await server.fetch(path, { headers: { 'accept-encoding': encoding } })
        expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
        expect(await response.text()).toContain(game.name)
      }
    }
  })
})

describe('the page of a signed-in person', () => {
  test('asks only for what is their own, beside what guests have already made it read', async () => {
    game = await publish()
    const path = `/games/${game.vanityName}`
    await read(path)
    const ofGuest = await watchStatements(server, () => read(path))
    const ofPlayer = await watchStatements(server, () => player.fetch(path))
    expect(ofPlayer.length).toBeLessThanOrEqual(ofGuest.length + OWN_STATEMENTS)
  })

  test('shows an edit at once, and what the person did there', async () => {
    game = await publish()
    await read(`/games/${game.vanityName}`)
    await insertLicense(server, game.uid, player)
    const name = `Renamed ${crypto.randomUUID()}`
    expect((await edit({ name })).status).toBe(200)
    const review = { rating: 4, text: `Fine ${crypto.randomUUID()}` }
    const written = await player.json('PUT', `/api/v1/private/games/${game.uid}/review`, review)
    expect(written.status).toBe(201)
    const page = await (await player.fetch(`/games/${game.uid}`)).text()
    for (const text of [name, review.text, 'Delete review']) expect(page).toContain(text)
  })

  test('shows a draft to its owner and to nobody else', async () => {
    game = await publish()
    await read(`/games/${game.vanityName}`)
    await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'draft' })
    const path = `/games/${game.vanityName}`
    expect([(await owner.fetch(path)).status, (await player.fetch(path)).status]).toEqual([200, 404])
  })
})
