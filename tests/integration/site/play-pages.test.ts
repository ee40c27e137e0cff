import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../src/db/schema/accounts.ts'
import { files } from '../../../src/db/schema/builds.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../src/domain/listings/web-player.ts'
import type { Shelf } from '../../../src/features/catalog/shelves/model.ts'
import { refreshShelves } from '../../../src/features/catalog/shelves/service.ts'
import { readData } from '../../helpers/json.ts'
import {
  insertAdmin,
  insertGame,
  insertLicense,
  insertPublicGame,
  verifyEmail,
} from '../../helpers/listings.ts'
import { type Person, signUp, usernameOf } from '../../helpers/people.ts'
import { GAME_FILES, pinOf, releaseWeb, visit } from '../../helpers/play.ts'
import { indexNow } from '../../helpers/search/search.ts'
import { startTestServer } from '../../helpers/server.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const player = usePerson(server)

const html = { accept: 'text/html' }

async function open(path: string, who?: Person) {
  const answer = await (who ? who.fetch(path, { headers: html }) : server.fetch(path, { headers: html }))
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

async function newGame(values: Parameters<typeof insertGame>[2] = {}, maker = owner) {
  const game = await insertPublicGame(server, maker, values)
  await releaseWeb(server, game.uid)
  return { ...game, path: `/games/${game.vanityName}/play` }
}

const originOf = (game: { uid: string }) => `http://${game.uid}.localhost:${server.port}`
const urlIn = (text: string) => /data-url="([^"]*)"/.exec(text)?.[1] ?? ''
const pathIn = (url: string) => `/${new URL(url).search}`

describe('the play page', () => {
  test('frames the origin of the game and nothing else, isolated, and loads nothing by itself', async () => {
    const game = await newGame()
    const { status, headers, text } = await open(game.path)
    expect(status).toBe(200)
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp')
    expect(headers.get('content-security-policy')).toContain(`; frame-src ${originOf(game)};`)
    expect(text).toContain(`data-url="${originOf(game)}/"`)
    const [, cover] = /class="player-cover"><img src="([^"]+)" width="1280" height="720"/.exec(text) ?? []
    expect(text).toContain(`<link rel="preload" as="image" fetchpriority="high" href="${cover}"`)
    expect(text).toContain(
      'sandbox="allow-scripts allow-same-origin allow-pointer-lock allow-forms allow-modals allow-downloads allow-orientation-lock"',
    )
    expect(text).toContain('allow="cross-origin-isolated; fullscreen; gamepad;')
    expect(text).toMatch(/<iframe (?![^>]*src=)[^>]*hidden/)
    expect(text).toMatch(
      /<a class="button without-script" href="http:\/\/[^"]*localhost[^"]*"[^>]*>Open the game/,
    )
    expect(text).toMatch(/Start<\/button>.*[\d.]+ KB to load/)
    expect(text).toContain('<canvas width="960" height="600"')
    expect(text).not.toContain('data-autostart')
    expect(text).not.toContain('data-heartbeat')
    expect(text).not.toContain('not made for phones')
  })

  test('is as its developer set it', async () => {
    const game = await newGame({
      webPlayer: {
        ...WEB_PLAYER_DEFAULTS,
        width: 480,
        height: 640,
        isolation: false,
        autostart: true,
        mobile: false,
      },
    })
    const { headers, text } = await open(game.path)
    expect(headers.get('cross-origin-opener-policy')).toBeNull()
    expect(headers.get('cross-origin-embedder-policy')).toBeNull()
    expect(text).toContain('<canvas width="480" height="640"')
    expect(text).toContain('data-autostart')
    expect(text).toContain('not made for phones')
  })

  test('is offered to phones only where it was made for them, on every page alike', async () => {
    const agents = {
      phone: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Mobile',
      computer: 'Mozilla/5.0 (X11; Linux x86_64)',
    }
    const maker = await signUp(server)
    const desktop = await newGame({ webPlayer: { ...WEB_PLAYER_DEFAULTS, mobile: false } }, maker)
    const everywhere = await newGame({}, maker)
    for (const { uid } of [desktop, everywhere]) {
      await insertLicense(server, uid, player)
      await indexNow(server, uid)
    }
    const paths = [
      `/developers/${await usernameOf(maker)}`,
      `/games/${desktop.vanityName}`,
      `/games/${everywhere.vanityName}`,
      '/library',
    ]
    const offers = async (path: string, agent: keyof typeof agents, game: { path: string }) => {
      const headers = { ...html, 'user-agent': agents[agent] }
      return (await (await player.fetch(path, { headers })).text()).includes(`href="${game.path}"`)
    }
    for (const path of paths) {
      const own = path.endsWith(everywhere.vanityName) ? [] : [desktop]
      for (const game of own) {
        expect([path, await offers(path, 'phone', game)]).toEqual([path, false])
        expect([path, await offers(path, 'computer', game)]).toEqual([path, true])
      }
      if (!path.endsWith(desktop.vanityName))
        expect([path, await offers(path, 'phone', everywhere)]).toEqual([path, true])
    }
    await refreshShelves(server.deps, new Date())
    const namesOn = async (os: string) =>
      (await readData<Shelf>(await server.fetch(`/api/v1/public/shelves/play_now?os=${os}`))).items.map(
        ({ uid }) => uid,
      )
    expect(await namesOn('android')).toContain(everywhere.uid)
    expect(await namesOn('android')).not.toContain(desktop.uid)
    expect(await namesOn('linux')).toContain(desktop.uid)
  })

  test('gives whoever has a licence a ticket of their own, which opens the game', async () => {
    const game = await newGame({ priceCents: 900 })
    await insertLicense(server, game.uid, player)
    const { text, headers } = await open(game.path, player)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(text).toContain(`data-heartbeat="/api/v1/private/games/${game.uid}/play/heartbeat"`)
    expect(text).toMatch(/data-seconds="5\d"/)
    expect(text).toContain(`href="/games/${game.vanityName}/play/open"`)
    const opened = await visit(server, game.uid, pathIn(urlIn(text)))
    expect((await visit(server, game.uid, '/game.js', pinOf(opened))).status).toBe(200)
  })

  test('leads to the origin without script, each time with a new ticket', async () => {
    const game = await newGame({ priceCents: 900 })
    await insertLicense(server, game.uid, player)
    const follow = async () => {
      const answer = await player.fetch(`${game.path}/open`, { headers: html })
      expect(answer.headers.get('cache-control')).toContain('no-store')
      return (await visit(server, game.uid, pathIn(answer.headers.get('location') ?? ''))).status
    }
    expect([await follow(), await follow()]).toEqual([302, 302])
    expect((await open(`${game.path}/open`)).status).toBe(401)
  })

  test('offers the channels that one may play', async () => {
    const game = await newGame()
    await releaseWeb(server, game.uid, GAME_FILES, { version: '2.0.0-beta', channel: 'beta' })
    await insertLicense(server, game.uid, player, { beta: true })
    expect((await open(game.path)).text).not.toContain('name="channel"')
    const { text } = await open(`${game.path}?channel=beta`, player)
    expect(text).toContain('Version 2.0.0-beta from beta')
    expect(text).toMatch(/<label for="channel">Channel<\/label>/)
    expect(text).toMatch(/<option value="beta" selected[^>]*>beta/)
    expect((await open(`${game.path}?channel=beta`)).status).toBe(401)
    for (const channel of ['dev', 'no-such', 'NO SUCH', 'x'.repeat(300)])
      expect((await open(`${game.path}?channel=${channel}`, player)).status).toBe(404)
  })

  test('leads back from beta to stable, although the visit was pinned to beta', async () => {
    const game = await newGame()
    const beta = [{ name: 'index.html', data: 'the beta' }]
    await releaseWeb(server, game.uid, beta, { version: '2.0.0', channel: 'beta' })
    await insertLicense(server, game.uid, player, { beta: true })
    const enter = async (query: string, pin = {}) => {
      const { text } = await open(game.path + query, player)
      return pinOf(await visit(server, game.uid, pathIn(urlIn(text)), pin))
    }
    const pin = await enter('?channel=beta')
    expect(await (await visit(server, game.uid, '/', pin)).text()).toBe('the beta')
    const next = await enter('', pin)
    expect(await (await visit(server, game.uid, '/', next)).text()).not.toBe('the beta')
  })

  test('lets its makers try any clean build', async () => {
    const game = await insertGame(server, owner, { visibility: 'draft' })
    const build = await releaseWeb(server, game.uid, GAME_FILES, { version: '0.1.0', channel: 'dev' })
    await insertAdmin(server, game.uid, player, 'accepted')
    const path = `/games/${game.vanityName}/play?build=${build.uid}`
    for (const maker of [owner, player]) {
      const { status, text } = await open(path, maker)
      expect([status, text.includes('You are trying version 0.1.0')]).toEqual([200, true])
    }
    expect((await open(path, await signUp(server))).status).toBe(404)
    expect((await open(path)).status).toBe(404)
  })

  test('keeps the address of a renamed game', async () => {
    const game = await newGame()
    const renamed = `${game.vanityName}-again`
    await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { vanity_name: renamed })
    const answer = await server.fetch(game.path, { headers: html })
    expect(answer.headers.get('location')).toEndWith(`/games/${renamed}/play`)
  })
})

describe('who may not play', () => {
  test('is told to sign in, with the way back', async () => {
    const game = await newGame({ webPlayer: { ...WEB_PLAYER_DEFAULTS, signed_out: false } })
    const { status, text, headers } = await open(game.path)
    expect(status).toBe(401)
    expect(text).toContain(`Sign in to play ${game.name}.`)
    expect(text).toContain(`href="/sign-in?next=${encodeURIComponent(game.path)}"`)
    expect(headers.get('content-security-policy')).not.toContain('frame-src')
    expect((await open(game.path, player)).status).toBe(200)
  })

  test('is told to buy it', async () => {
    const game = await newGame({ priceCents: 900 })
    const { status, text } = await open(game.path, player)
    expect(status).toBe(402)
    expect(text).toContain(`Buy ${game.name} to play it.`)
    expect(text).toContain(`href="/games/${game.vanityName}"`)
  })

  test('is told to turn on adult content', async () => {
    const game = await newGame({ adult: true })
    const { status, text } = await open(game.path, player)
    expect(status).toBe(403)
    expect(text).toContain('Turn on adult content in your account')
    expect(text).toContain(`href="/account/privacy?next=${encodeURIComponent(game.path)}#privacy"`)
    const grown = await signUp(server)
    await server.deps.db.update(users).set({ adultContent: true }).where(eq(users.id, grown.uid))
    expect((await open(game.path, grown)).status).toBe(200)
  })

  test('is told to wait for the scan', async () => {
    const game = await insertPublicGame(server, owner)
    const { fileUid } = await releaseWeb(server, game.uid)
    await server.deps.db.update(files).set({ scan: 'scanning' }).where(eq(files.uid, fileUid))
    const { status, text } = await open(`/games/${game.vanityName}/play`)
    expect([status, text.includes('Try again')]).toEqual([409, true])
  })

  test('is told that nothing runs in the browser', async () => {
    const game = await insertPublicGame(server, owner)
    const { status, text } = await open(`/games/${game.vanityName}/play`)
    expect([status, text.includes('has no build that runs in the browser')]).toEqual([404, true])
  })

  test('finds no page where there is none for them', async () => {
    const game = await newGame()
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, game.uid))
    const [hidden, missing] = [await open(game.path), await open('/games/no-such-game/play')]
    expect([hidden.status, missing.status]).toEqual([404, 404])
    expect(hidden.text.replaceAll(game.vanityName, 'no-such-game')).toBe(missing.text)
  })
})

describe('the way to the play page', () => {
  const link = (game: { path: string }) => `href="${game.path}"`

  test('is the one button of the store page, whose file is offered only where the developer allows it', async () => {
    const game = await newGame({ anonymousDownloads: true })
    const { text } = await open(`/games/${game.vanityName}`)
    expect(text).toContain(`<a class="button wide" ${link(game)}`)
    expect(text).not.toContain('/download"')
    expect(text).not.toContain('wasm32')
    const webPlayer = { ...WEB_PLAYER_DEFAULTS, downloadable: true }
    const both = await newGame({ anonymousDownloads: true, webPlayer })
    const allowed = (await open(`/games/${both.vanityName}`)).text
    expect(allowed.indexOf(link(both))).toBeLessThan(allowed.indexOf('/download"'))
    expect(allowed).toMatch(/<a class="button second wide" href="[^"]*\/download"/)
    expect(allowed).not.toContain('wasm32')
  })

  test('is there for whoever has a paid game, and promised to others', async () => {
    const game = await newGame({ priceCents: 900 })
    await insertLicense(server, game.uid, player)
    expect((await open(`/games/${game.vanityName}`, player)).text).toContain(link(game))
    const { text } = await open(`/games/${game.vanityName}`)
    expect(text).not.toContain(link(game))
    expect(text).toContain('once it is in your library')
  })

  test('is not there for a build without an entry page, nor before adult content is on', async () => {
    const plain = await insertPublicGame(server, owner)
    await releaseWeb(server, plain.uid, [{ name: 'readme.txt', data: 'x' }])
    expect((await open(`/games/${plain.vanityName}`)).text).not.toContain('/play"')
    const adult = await newGame({ adult: true })
    expect((await open(`/games/${adult.vanityName}`)).text).not.toContain(link(adult))
  })

  test('is on cards of free games, and in the library', async () => {
    const maker = await signUp(server)
    const [free, paid] = [await newGame({}, maker), await newGame({ priceCents: 900 }, maker)]
    const [found] = await server.deps.db.select().from(users).where(eq(users.id, maker.uid))
    const { text } = await open(`/developers/${found?.username}`)
    expect(text).toMatch(new RegExp(`${link(free)}.*?Play in browser`))
    expect(text).not.toContain(link(paid))
    await insertLicense(server, paid.uid, player)
    expect((await open('/library', player)).text).toContain(link(paid))
  })

  test('is the shelf Play now, once there are four', async () => {
    const other = await startTestServer()
    try {
      const maker = await signUp(other)
      await verifyEmail(other, maker)
      const shown = async () => {
        await refreshShelves(other.deps, new Date())
        return (await (await other.fetch('/', { headers: html })).text()).includes('>Play now<')
      }
      const publish = async (values = {}) =>
        releaseWeb(other, (await insertPublicGame(other, maker, values)).uid)
      for (let count = 0; count < 3; count += 1) await publish()
      await publish({ priceCents: 900 })
      expect(await shown()).toBe(false)
      await publish()
      expect(await shown()).toBe(true)
      const shelf = await readData<Shelf>(await other.fetch('/api/v1/public/shelves/play_now'))
      expect(shelf.items).toHaveLength(4)
    } finally {
      await other.stop()
    }
  })
})

test('a store without play origins says which setting is missing', async () => {
  const url = 'https://games.example.org'
  const other = await startTestServer({ BASE_URL: url })
  try {
    const maker = await signUp({ ...other, url })
    const game = await insertPublicGame(other, maker)
    await releaseWeb(other, game.uid)
    const answer = await other.fetch(`/games/${game.vanityName}/play`, { headers: html })
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('PLAY_URL')
  } finally {
    await other.stop()
  }
})
