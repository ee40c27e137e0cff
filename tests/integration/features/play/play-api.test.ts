import { describe, expect, test } from 'bun:test'
import { runInNewContext } from 'node:vm'

import { sql } from 'drizzle-orm'

import { createApp } from '../../../../src/app.ts'
import { licenses } from '../../../../src/db/schema/games/game-players.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../../src/domain/listings/web-player.ts'
import { createAccountCache } from '../../../../src/features/accounts/account-cache.ts'
import { sessionSource } from '../../../../src/features/accounts/sessions/sessions.ts'
import { openAuthLater } from '../../../../src/features/accounts/sign-in/open-auth.ts'
import { listWebFiles } from '../../../../src/features/builds/channels/stable-files.ts'
import { loadCards } from '../../../../src/features/catalog/pages/cards.ts'
import { createRecentRequests } from '../../../../src/features/operate/status/recent-requests.ts'
import { createPlayAccess } from '../../../../src/features/play/access/service.ts'
import { openPlayPage } from '../../../../src/features/play/visits/service.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import type { Person } from '../../../helpers/people.ts'
import { GAME_FILES, pinOf, releaseWeb, visit } from '../../../helpers/play.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const player = usePerson(server)

const edit = (uid: string, web_player: unknown) =>
  owner.json('PATCH', `/api/v1/private/games/${uid}`, { web_player })
const readPublic = async (uid: string) =>
  await readData<{ web_player: object | null }>(await server.fetch(`/api/v1/public/games/${uid}`))

describe('web_player', () => {
  test('is edited with its bounds; what is left out has its default', async () => {
    const { uid } = await insertPublicGame(server, owner)
    expect(await readData(await edit(uid, { width: 320, height: 2160, mobile: false }))).toMatchObject({
      web_player: { ...WEB_PLAYER_DEFAULTS, width: 320, height: 2160, mobile: false },
    })
    expect(await readData(await edit(uid, null))).toMatchObject({ web_player: null })
    for (const wrong of [
      { width: 319 },
      { width: 3841 },
      { height: 239 },
      { height: 2161 },
      { width: 500.5 },
      { width: '960' },
      { isolation: 'yes' },
      { autostart: null },
      { color: 'red' },
      [],
      'wide',
    ])
      expect(await readFailure(await edit(uid, wrong))).toMatchObject({ status: 400, code: 4000 })
  })

  test('is on the public page while the stable build can be played', async () => {
    const game = await insertPublicGame(server, owner)
    expect((await readPublic(game.uid)).web_player).toBeNull()
    const build = await releaseWeb(server, game.uid, GAME_FILES, { version: '1.4.0' })
    await edit(game.uid, { width: 640, isolation: false })
    expect((await readPublic(game.uid)).web_player).toEqual({
      url: `${server.url}/games/${game.vanityName}/play`,
      width: 640,
      height: 600,
      isolation: false,
      mobile: true,
      downloadable: false,
      bytes: expect.any(Number),
      build_id: build.uid,
      version: '1.4.0',
    })
  })

  test('makes cards playable, and other web builds do not', async () => {
    const [yes, no] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
    await releaseWeb(server, yes.uid)
    await releaseWeb(server, no.uid, [{ name: 'build/web/index.html', data: 'x' }])
    const cards = await loadCards(server.deps, [yes.uid, no.uid])
    expect(cards.map(({ playable, platforms }) => [playable, platforms])).toEqual([
      [true, ['web']],
      [false, ['web']],
    ])
    const config = { ...server.deps.config, playUrl: null }
    expect((await loadCards({ ...server.deps, config }, [yes.uid]))[0]?.playable).toBe(false)
  })

  test('a build without an entry page says in the studio where one was found', async () => {
    const { uid } = await insertPublicGame(server, owner)
    await releaseWeb(server, uid, [{ name: 'build/web/index.html', data: 'x' }], { version: '1' })
    await releaseWeb(server, uid, [{ name: 'readme.txt', data: 'x' }], { version: '2' })
    await releaseWeb(server, uid, GAME_FILES, { version: '3' })
    const files = await listWebFiles(server.deps.db, uid)
    expect(files.map(({ version, fault }) => [version, fault])).toEqual([
      ['3', null],
      ['2', 'index.html was not found at the root'],
      ['1', 'index.html was not found at the root; found at build/web/index.html'],
    ])
  })
})

describe('the play page', () => {
  test('opens the origin without a ticket where everyone may play, and with one elsewhere', async () => {
    const access = await createPlayAccess(server.deps)
    const game = await insertPublicGame(server, owner)
    const first = await releaseWeb(server, game.uid)
    await releaseWeb(server, game.uid, GAME_FILES, { version: '2.0.0', channel: 'beta' })
    const open = await openPlayPage(server.deps, access, null, game.vanityName, {})
    expect(open).toMatchObject({
      url: `http://${game.uid}.localhost:${server.port}/`,
      expiresAt: null,
      channels: ['stable'],
      channel: 'stable',
      player: WEB_PLAYER_DEFAULTS,
      build: { uid: first.uid, version: '1.0.0' },
      hasLicense: false,
    })
    const user = await findUser(owner)
    const beta = await openPlayPage(server.deps, access, user, game.uid, { channel: 'beta' })
    expect(beta).toMatchObject({ channels: ['stable', 'beta'], channel: 'beta', build: { version: '2.0.0' } })
    expect(beta.url).toContain('/?ticket=')
    const tried = await openPlayPage(server.deps, access, user, game.uid, { buildUid: first.uid })
    const opened = await visit(server, game.uid, `/${new URL(tried.url).search}`)
    expect((await visit(server, game.uid, '/', pinOf(opened))).status).toBe(200)
    const refused = openPlayPage(server.deps, access, await findUser(player), game.uid, {
      buildUid: first.uid,
    })
    expect(await refused.catch((error: unknown) => error)).toMatchObject({ kind: 'not_found' })
  })

  async function findUser(person: Person) {
    const accounts = await createAccountCache(server.deps)
    const sessions = sessionSource(server.deps, openAuthLater(server.deps), accounts)
    const user = await sessions.findUserBySession(new Headers({ cookie: person.cookie }))
    if (!user) throw new Error('Nobody is signed in')
    return user
  }

  test('credits play time to licensed players', async () => {
    const game = await insertPublicGame(server, owner)
    await releaseWeb(server, game.uid)
    await server.deps.db
      .insert(licenses)
      .values({ userUid: player.uid, gameUid: game.uid, gameName: game.name, source: 'granted' })
    const beat = async () => {
      const body = { session_id: 'tab-1' }
      return await readData<{ play_minutes: number }>(
        await player.json('POST', `/api/v1/private/games/${game.uid}/play/heartbeat`, body),
      )
    }
    expect(await beat()).toEqual({ play_minutes: 0 })
    // As if the heartbeat before had come four minutes ago.
    await server.deps.db.execute(sql`
      update play_clocks set credited_at = 0, sessions = (
        select jsonb_agg(session || jsonb_build_object(
          'lastAt', (session->>'lastAt')::bigint - 240000, 'heardAt', (session->>'heardAt')::bigint - 240000))
        from jsonb_array_elements(sessions) as session)
      where user_uid = ${player.uid}`)
    expect(await beat()).toEqual({ play_minutes: 4 })
  })
})

describe('/.playshelf/sdk.js', () => {
  interface Sent {
    url: string
    headers: Record<string, string>
    body: Record<string, unknown>
  }

  async function load() {
    const game = await insertPublicGame(server, owner)
    const build = await releaseWeb(server, game.uid, GAME_FILES, { version: '1.2.3' })
    const pin = pinOf(await visit(server, game.uid, '/'))
    await releaseWeb(server, game.uid, GAME_FILES, { version: '2.0.0' })
    const answer = await visit(server, game.uid, '/.playshelf/sdk.js', pin)
    return { game, build, answer, text: await answer.text() }
  }

  interface Sdk {
    bootOk(): Promise<boolean>
    event(name: string, data?: object): Promise<boolean>
    crash(error: unknown): Promise<boolean>
  }

  /** Runs the script as a page of the game would. */
  function run(text: string, origin: string) {
    const sent: Sent[] = []
    const listeners = new Map<string, (event: object) => void>()
    const page: Record<string, unknown> = {
      crypto,
      localStorage: { getItem: () => null, setItem: () => undefined },
      addEventListener: (name: string, listen: (event: object) => void) => listeners.set(name, listen),
      fetch: async (url: string, init: { headers: Record<string, string>; body: string; method: string }) => {
        sent.push({ url, headers: init.headers, body: JSON.parse(init.body) as Record<string, unknown> })
        return await fetch(url, { ...init, headers: { ...init.headers, origin } })
      },
      Promise,
      JSON,
      Date,
      Uint8Array,
    }
    runInNewContext(text, page)
    return { sent, listeners, sdk: page['playshelf'] as Sdk }
  }

  test('is small, and is a script and a module with the same functions', async () => {
    const { answer, text, game } = await load()
    expect(answer.headers.get('content-type')).toStartWith('text/javascript')
    expect(text.length).toBeLessThan(2048)
    const module = await visit(server, game.uid, '/.playshelf/sdk.js', { 'sec-fetch-mode': 'cors' })
    expect(await module.text()).toContain(
      'export const { bootOk, event, crash, saves } = globalThis.playshelf',
    )
    const again = await visit(server, game.uid, '/.playshelf/sdk.js', {
      ...pinOf(await visit(server, game.uid, '/')),
      'if-none-match': '"x"',
    })
    expect(again.status).toBe(200)
  })

  test('loads what saves need only when they are used, at most 6 KB more', async () => {
    const { game, text } = await load()
    expect(text).toContain('/.playshelf/saves.js')
    const answer = await visit(server, game.uid, '/.playshelf/saves.js', { 'accept-encoding': 'gzip' })
    expect(answer.headers.get('content-type')).toStartWith('text/javascript')
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    const packed = Buffer.from(await answer.arrayBuffer())
    expect(packed.length).toBeLessThanOrEqual(6 * 1024)
    const tag = answer.headers.get('etag') ?? ''
    expect((await visit(server, game.uid, '/.playshelf/saves.js', { 'if-none-match': tag })).status).toBe(304)
    // The same for every game, so that it depends on nothing but its version.
    const other = await load()
    const same = await visit(server, other.game.uid, '/.playshelf/saves.js')
    expect(await same.text()).toBe(Buffer.from(Bun.gunzipSync(packed)).toString())
  })

  test('sends events and crashes of the build that is played', async () => {
    const { text, game, build } = await load()
    const { sdk, sent, listeners } = run(text, `http://${game.uid}.localhost:${server.port}`)
    expect(await sdk.crash(new Error('early'))).toBe(true)
    expect(await sdk.bootOk()).toBe(true)
    expect(await sdk.bootOk()).toBe(true)
    expect(await sdk.event('level_done', { level: 3 })).toBe(true)
    listeners.get('error')?.({ error: new Error('late') })
    listeners.get('unhandledrejection')?.({ reason: 'text alone' })
    await waitFor('all of them', async () => sent.length === 5)
    expect(sent.map(({ url }) => url.slice(server.url.length))).toEqual([
      '/api/v1/public/crashes',
      '/api/v1/public/events',
      '/api/v1/public/events',
      '/api/v1/public/crashes',
      '/api/v1/public/crashes',
    ])
    for (const { headers } of sent)
      expect(headers).toMatchObject({ 'x-app-id': game.uid, 'x-build-id': build.uid })
    expect(sent.map(({ body }) => body['before_boot'])).toEqual([true, undefined, undefined, false, false])
    expect(sent.map(({ body }) => body['reason'])).toEqual([
      'early',
      undefined,
      undefined,
      'late',
      'text alone',
    ])
  })

  test('sends at most 20 crashes a visit', async () => {
    const { text, game } = await load()
    const { sdk, sent } = run(text, `http://${game.uid}.localhost:${server.port}`)
    await Promise.all(Array.from({ length: 30 }, (_, at) => sdk.crash(new Error(`crash ${at}`))))
    expect(sent).toHaveLength(20)
  })

  test('a browser lets it through: the ingest routes answer other origins', async () => {
    const { game } = await load()
    const origin = `http://${game.uid}.localhost:${server.port}`
    for (const route of ['events', 'crashes']) {
      const answer = await fetch(`${server.url}/api/v1/public/${route}`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-app-id,x-build-id',
        },
      })
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-build-id')
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    }
  })
})

test('nothing is inflated for clients that accept gzip', async () => {
  const game = await insertPublicGame(server, owner)
  await releaseWeb(server, game.uid)
  const composed = await createApp(server.deps, {
    isStopping: () => false,
    isStuck: () => false,
    recent: createRecentRequests(),
  })
  const load = async (path: string, encoding: string) => {
    const request = new Request(`http://x${path}`, { headers: { 'accept-encoding': encoding } })
    const answer = await composed.play?.answer(request, game.uid, () => '127.0.0.1')
    await answer?.arrayBuffer()
    return composed.play?.inflated
  }
  for (const path of ['/', '/game.js', '/game.wasm']) expect(await load(path, 'gzip, br')).toBe(0)
  expect([await load('/game.wasm', 'br'), await load('/game.js', 'br')]).toEqual([0, 1])
})
