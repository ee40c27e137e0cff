import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { builds, files } from '../../../../src/db/schema/builds.ts'
import { downloadEvents } from '../../../../src/db/schema/catalog.ts'
import { gameAdmins } from '../../../../src/db/schema/games/game-pages.ts'
import { licenses } from '../../../../src/db/schema/games/game-players.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../../src/domain/listings/web-player.ts'
import { pointChannel } from '../../../helpers/builds.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { GAME_FILES, pinOf, releaseWeb, visit } from '../../../helpers/play.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let admin: Person
let player: Person
let stranger: Person
beforeAll(async () => {
  ;[owner, admin, player, stranger] = await Promise.all([
    signUp(server),
    signUp(server),
    signUp(server),
    signUp(server),
  ])
})

interface Link {
  url: string
  expires_at: string
}

async function newGame(values: Parameters<typeof insertPublicGame>[2] = {}): Promise<GameRow> {
  const game = await insertPublicGame(server, owner, values)
  await releaseWeb(server, game.uid)
  await server.deps.db
    .insert(gameAdmins)
    .values({ gameUid: game.uid, userUid: admin.uid, acceptedAt: new Date() })
  return game
}

async function grant(game: GameRow, who: Person, beta = false): Promise<void> {
  await server.deps.db
    .insert(licenses)
    .values({ userUid: who.uid, gameUid: game.uid, gameName: game.name, source: 'granted', beta })
}

const askForTicket = (who: Person, game: GameRow, body: object = {}) =>
  who.json('POST', `/api/v1/private/games/${game.uid}/play`, body)

const pathOf = ({ url }: Link) => `/${new URL(url).search}`

/** The status of the first file, by a ticket where there is a person. */
async function tryPlay(game: GameRow, who: Person | null, channel?: string): Promise<number> {
  if (!who) return (await visit(server, game.uid, '/')).status
  const asked = await askForTicket(who, game, channel === undefined ? {} : { channel })
  if (asked.status !== 201) return asked.status
  const opened = await visit(server, game.uid, pathOf(await readData<Link>(asked)))
  expect([opened.status, opened.headers.get('location')]).toEqual([302, '/'])
  return (await visit(server, game.uid, '/game.js', pinOf(opened))).status
}

async function tryAll(game: GameRow, channel?: string) {
  return {
    nobody: await tryPlay(game, null, channel),
    stranger: await tryPlay(game, stranger, channel),
    player: await tryPlay(game, player, channel),
    admin: await tryPlay(game, admin, channel),
    owner: await tryPlay(game, owner, channel),
  }
}

const ALL = { nobody: 200, stranger: 200, player: 200, admin: 200, owner: 200 }
const MAKERS = { nobody: 404, stranger: 404, player: 404, admin: 200, owner: 200 }

describe('who may play', () => {
  test('a free public or invisible game: everyone', async () => {
    expect(await tryAll(await newGame())).toEqual(ALL)
    expect(await tryAll(await newGame({ visibility: 'invisible' }))).toEqual(ALL)
  })

  test('a free game that the developer keeps to accounts: everyone who is signed in', async () => {
    const game = await newGame({ webPlayer: { ...WEB_PLAYER_DEFAULTS, signed_out: false } })
    expect(await tryAll(game)).toEqual({ ...ALL, nobody: 401 })
  })

  test('a paid game: with a licence', async () => {
    const game = await newGame({ priceCents: 500 })
    await grant(game, player)
    expect(await tryAll(game)).toEqual({ ...ALL, nobody: 401, stranger: 402 })
  })

  test('a draft: owner and admins; a page that only its owner sees: like its downloads', async () => {
    for (const visibility of ['draft', 'owner'] as const) {
      const game = await newGame({ visibility })
      await grant(game, player)
      expect(await tryAll(game)).toEqual(MAKERS)
    }
  })

  test('beta: who joined it; dev and other channels: owner and admins', async () => {
    const game = await newGame()
    for (const channel of ['beta', 'dev', 'press'])
      await releaseWeb(server, game.uid, GAME_FILES, { channel, version: `2.0.0-${channel}` })
    await grant(game, player, true)
    expect(await tryAll(game, 'beta')).toEqual({ ...ALL, stranger: 403 })
    for (const channel of ['dev', 'press'])
      expect(await tryAll(game, channel)).toEqual({ ...MAKERS, nobody: 200 })
    expect(await tryPlay(game, owner, 'nothing')).toBe(404)
    expect((await askForTicket(owner, game, { channel: 'No Channel' })).status).toBe(400)
  })

  test('an adult game: signed in with adult content on', async () => {
    const game = await newGame({ adult: true })
    const grown = await signUp(server)
    await server.deps.db.update(users).set({ adultContent: true }).where(eq(users.id, grown.uid))
    expect(await tryAll(game)).toEqual({ ...ALL, nobody: 401, stranger: 403, player: 403 })
    expect(await tryPlay(game, grown)).toBe(200)
  })

  test('a game without a web build, or whose build has no entry page: nobody', async () => {
    const none = await insertPublicGame(server, owner)
    expect(await tryPlay(none, owner)).toBe(404)
    const misplaced = await insertPublicGame(server, owner)
    await releaseWeb(server, misplaced.uid, [{ name: 'build/web/index.html', data: 'x' }])
    expect([await tryPlay(misplaced, null), await tryPlay(misplaced, owner)]).toEqual([404, 404])
  })

  test('a file that is scanned again: nobody for the time being, as downloads', async () => {
    const game = await newGame()
    await server.deps.db.update(files).set({ scan: 'scanning' }).where(eq(files.gameUid, game.uid))
    expect(await tryAll(game)).toEqual({ nobody: 409, stranger: 409, player: 409, admin: 409, owner: 409 })
  })

  test('a refusal is a small page that leads back to the page of the game', async () => {
    const game = await newGame({ priceCents: 500, name: 'A & <B>' })
    const answer = await visit(server, game.uid, '/')
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toStartWith('text/html')
    expect(text).toContain('Sign in and buy A &amp; &lt;B&gt; to play it.')
    expect(text).toContain(`href="${server.url}/games/${game.vanityName}"`)
    const framed = await (await visit(server, game.uid, '/', { 'sec-fetch-dest': 'iframe' })).text()
    expect(framed).toContain('Press Leave')
    expect(framed).not.toContain('href')
  })
})

describe('nobody plays, within a second and in running visits too', () => {
  const operator = usePerson(server, signUpOperator)

  async function startVisits(game: GameRow): Promise<(() => Promise<number>)[]> {
    const opened = await visit(
      server,
      game.uid,
      pathOf(await readData<Link>(await askForTicket(owner, game))),
    )
    const pins = [pinOf(await visit(server, game.uid, '/')), pinOf(opened)]
    const visits = pins.map((pin) => async () => (await visit(server, game.uid, '/game.wasm', pin)).status)
    for (const load of visits) expect(await load()).toBe(200)
    return visits
  }

  async function expectStopped(visits: readonly (() => Promise<number>)[]): Promise<void> {
    const since = performance.now()
    let lastPlayedAt = since
    await waitFor('the end of all visits', async () => {
      const askedAt = performance.now()
      const states = await Promise.all(visits.map((load) => load()))
      const isOver = states.every((status) => status === 404 || status === 403)
      if (!isOver) lastPlayedAt = askedAt
      return isOver
    })
    expect(lastPlayedAt - since).toBeLessThan(PROMPT_MS)
  }

  test('after a take-down', async () => {
    const game = await newGame()
    const visits = await startVisits(game)
    const answer = await act(operator, `listings/${game.uid}/take-down`, { reason: 'Stolen art.' })
    expect(answer.status).toBe(200)
    await expectStopped(visits)
    expect((await askForTicket(owner, game)).status).toBe(403)
    expect((await askForTicket(stranger, game)).status).toBe(404)
  })

  test('after the file turned out infected, whatever was notified', async () => {
    const game = await newGame()
    const visits = await startVisits(game)
    await server.deps.db.update(files).set({ scan: 'infected' }).where(eq(files.gameUid, game.uid))
    await expectStopped(visits)
  })

  test('after the owner was suspended', async () => {
    const gone = await signUp(server)
    const game = await insertPublicGame(server, gone)
    await releaseWeb(server, game.uid)
    const pin = pinOf(await visit(server, game.uid, '/'))
    await server.deps.db.update(users).set({ suspendedAt: new Date() }).where(eq(users.id, gone.uid))
    await expectStopped([async () => (await visit(server, game.uid, '/game.js', pin)).status])
  })

  test('after a player lost the licence, or the account', async () => {
    const game = await newGame({ priceCents: 500 })
    const buyer = await signUp(server)
    await grant(game, buyer)
    const opened = await visit(
      server,
      game.uid,
      pathOf(await readData<Link>(await askForTicket(buyer, game))),
    )
    const load = async () => (await visit(server, game.uid, '/game.js', pinOf(opened))).status
    expect(await load()).toBe(200)
    await server.deps.db.delete(licenses).where(eq(licenses.gameUid, game.uid))
    await waitFor('the refusal', async () => (await load()) === 402)
    await server.deps.db.update(users).set({ suspendedAt: new Date() }).where(eq(users.id, buyer.uid))
    await waitFor('the refusal of a visitor', async () => (await load()) === 401)
  })
})

describe('tickets', () => {
  test('are for one minute, one use and one game', async () => {
    const [game, other] = [await newGame({ priceCents: 500 }), await newGame({ priceCents: 500 })]
    const asked = await askForTicket(owner, game)
    expect(asked.headers.get('cache-control')).toBe('no-store')
    const link = await readData<Link>(asked)
    expect(link.url).toStartWith(`http://${game.uid}.localhost:${server.port}/?ticket=`)
    const left = Date.parse(link.expires_at) - Date.now()
    expect(left > 30_000 && left <= 60_000).toBe(true)
    expect((await visit(server, other.uid, pathOf(link))).status).toBe(403)
    const uses = await Promise.all(Array.from({ length: 10 }, () => visit(server, game.uid, pathOf(link))))
    expect(uses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      302,
      ...Array<number>(9).fill(403),
    ])
    expect((await visit(server, game.uid, pathOf(link))).status).toBe(403)
  })

  test('work once, also with two processes', async () => {
    const second = await startTestServer({ DATABASE_URL: server.databaseUrl, DATA_DIR: server.dataDir })
    const game = await newGame({ priceCents: 500 })
    const path = pathOf(await readData<Link>(await askForTicket(owner, game)))
    const uses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => visit(index % 2 ? second : server, game.uid, path)),
    )
    expect(uses.filter(({ status }) => status === 302)).toHaveLength(1)
    await second.stop()
  })

  test('become a cookie of the origin', async () => {
    const game = await newGame({ priceCents: 500 })
    const link = await readData<Link>(await askForTicket(owner, game))
    const opened = await visit(server, game.uid, pathOf(link))
    const [cookie = ''] = opened.headers.getSetCookie()
    const [, ...attributes] = cookie.split('; ')
    expect(attributes).toEqual([
      'Path=/',
      'Max-Age=43200',
      'HttpOnly',
      'Secure',
      'SameSite=None',
      'Partitioned',
    ])
    expect(opened.headers.get('cache-control')).toBe('no-store')
  })

  test('are refused when anything about them is wrong', async () => {
    const game = await newGame({ priceCents: 500 })
    const { url } = await readData<Link>(await askForTicket(owner, game))
    const ticket = new URL(url).searchParams.get('ticket') ?? ''
    const [uid, gameUid, , buildUid, userUid, expires, signature] = ticket.split('.')
    const opened = await visit(server, game.uid, `/?ticket=${ticket}`)
    const pin = pinOf(opened).cookie.split('=')[1] ?? ''
    const wrong = [
      '',
      'x',
      ticket.slice(0, -1),
      `${ticket}x`,
      [uid, gameUid, 'dev', buildUid, userUid, expires, signature].join('.'),
      [uid, gameUid, 'stable', buildUid, '', expires, signature].join('.'),
      [uid, gameUid, 'stable', buildUid, userUid, Number(expires) + 1, signature].join('.'),
      // A cookie is no ticket.
      pin,
      'a.'.repeat(2000),
    ]
    for (const text of wrong)
      expect((await visit(server, game.uid, `/?ticket=${encodeURIComponent(text)}`)).status).toBe(403)
    // Nor is a ticket a cookie.
    expect((await visit(server, game.uid, '/', { cookie: `play=${ticket}` })).status).toBe(401)
    expect((await visit(server, game.uid, '/', { cookie: `play=${pin}` })).status).toBe(200)
    expect((await visit(server, game.uid, '/', { cookie: `x=1; play=nothing; play=${pin}` })).status).toBe(
      200,
    )
  })

  test('of a player who lost the right meanwhile are refused', async () => {
    const game = await newGame({ priceCents: 500 })
    await grant(game, player)
    const link = await readData<Link>(await askForTicket(player, game))
    await server.deps.db.delete(licenses).where(eq(licenses.gameUid, game.uid))
    await waitFor('the facts', async () => (await askForTicket(player, game)).status === 402)
    expect((await visit(server, game.uid, pathOf(link))).status).toBe(402)
  })
})

describe('a visit', () => {
  test('is pinned to its build while channels move', async () => {
    const game = await insertPublicGame(server, owner)
    const versionParts = (version: string) =>
      Array.from({ length: 40 }, (_, at) => ({
        name: at === 0 ? 'index.html' : `part-${at}.txt`,
        data: `${version} `.repeat(at % 2 === 0 ? 20 : 1),
        method: at % 3 === 0 ? 0 : 8,
      }))
    const first = await releaseWeb(server, game.uid, versionParts('1.0.0'), { version: '1.0.0' })
    const second = await releaseWeb(server, game.uid, versionParts('2.0.0'), { version: '2.0.0' })
    let isMoving = true
    const moving = (async () => {
      for (let turn = 0; isMoving; turn += 1) await pointChannel(server, turn % 2 === 0 ? first : second)
    })()
    const seen = new Set<string>()
    const load = async () => {
      // An address of its own, to stay below the limit however many rounds it takes.
      const from = { 'x-forwarded-for': randomAddress() }
      const page = await visit(server, game.uid, '/', from)
      const version = (await page.text()).trim().split(' ')[0] ?? ''
      const pin = { ...from, ...pinOf(page) }
      seen.add(version)
      for (let at = 1; at < 40; at += 1) {
        const part = await visit(server, game.uid, `/part-${at}.txt`, pin)
        expect(new Set((await part.text()).trim().split(' '))).toEqual(new Set([version]))
      }
    }
    // What the channel points at is read twice a second, so ten rounds may see one version only.
    for (let round = 0; round < 10 || seen.size < 2; round += 1)
      await Promise.all(Array.from({ length: 10 }, load))
    isMoving = false
    await moving
    expect([...seen].sort()).toEqual(['1.0.0', '2.0.0'])
  })

  test('without cookies gets the newest build', async () => {
    const game = await insertPublicGame(server, owner)
    await releaseWeb(server, game.uid, [{ name: 'index.html', data: 'one' }], { version: '1.0.0' })
    const pin = pinOf(await visit(server, game.uid, '/'))
    await releaseWeb(server, game.uid, [{ name: 'index.html', data: 'two' }], { version: '2.0.0' })
    await waitFor('the release', async () => (await (await visit(server, game.uid, '/')).text()) === 'two')
    expect(await (await visit(server, game.uid, '/', pin)).text()).toBe('one')
  })

  test('whose build was deleted mixes no files and begins anew with its entry page', async () => {
    const game = await insertPublicGame(server, owner)
    const first = await releaseWeb(server, game.uid, GAME_FILES, { version: '1.0.0' })
    const pin = pinOf(await visit(server, game.uid, '/'))
    await releaseWeb(server, game.uid, GAME_FILES, { version: '2.0.0' })
    await server.deps.db.delete(builds).where(eq(builds.uid, first.uid))
    await waitFor('the deletion', async () => (await visit(server, game.uid, '/game.js', pin)).status === 404)
    const again = await visit(server, game.uid, '/', pin)
    expect([again.status, again.headers.getSetCookie().length]).toEqual([200, 1])
    expect((await visit(server, game.uid, '/game.js', pinOf(again))).status).toBe(200)
  })

  test('is one row of the download analytics', async () => {
    const game = await newGame()
    const pin = pinOf(await visit(server, game.uid, '/'))
    for (const path of ['/', '/game.js', '/game.wasm']) await visit(server, game.uid, path, pin)
    await visit(server, game.uid, '/', {}, 'HEAD')
    await tryPlay(game, owner)
    const rows = await waitFor('the rows', async () => {
      const found = await server.deps.db
        .select()
        .from(downloadEvents)
        .where(eq(downloadEvents.gameUid, game.uid))
      return found.length >= 2 && found
    })
    expect(rows.map(({ source, outcome }) => [source, outcome])).toEqual([
      ['play', 200],
      ['play', 200],
    ])
    const counts = await owner.fetch(`/api/v1/private/games/${game.uid}/analytics/downloads`)
    expect((await readData<{ items: { source: string; count: number }[] }>(counts)).items).toMatchObject([
      { source: 'play', count: 2 },
    ])
  })

  test('of a licensed player counts as play time', async () => {
    const game = await newGame()
    const beat = (who: Person, body: object) =>
      who.json('POST', `/api/v1/private/games/${game.uid}/play/heartbeat`, body)
    expect((await beat(player, { session_id: 'a' })).status).toBe(403)
    await grant(game, player)
    expect(await readData(await beat(player, { session_id: 'a' }))).toEqual({ play_minutes: 0 })
    expect((await beat(player, {})).status).toBe(400)
    expect((await beat(player, { session_id: 'a'.repeat(65) })).status).toBe(400)
  })
})
