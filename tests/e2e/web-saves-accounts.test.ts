import { expect, test } from 'bun:test'

import { WEB_PLAYER_DEFAULTS } from '../../src/domain/listings/web-player.ts'
import { describeInBrowser } from '../helpers/site/use-browser.ts'
import {
  ALLOW,
  allow,
  frameOf,
  knows,
  play,
  press,
  read,
  useWebSaves,
  type WebGame,
  write,
} from '../helpers/site/web-saves.ts'

const HTML = { 'content-type': 'text/html' }
const NOTHING = { slots: [], player: null }

describeInBrowser('the saves of several people in one browser', () => {
  const store = useWebSaves()

  const twoPlayers = async (game: WebGame) =>
    [await store.newPlayer(game), await store.newPlayer(game)] as const

  test('who does not let a game use the account keeps saves that nobody else gets', async () => {
    const game = await store.publish()
    const [one, other] = await twoPlayers(game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, one.person)
      const first = await play(context, game)
      const answer = read(first.frame, 'main')
      await press(first.page, 'Not now')
      expect(await answer).toBeNull()
      expect(await write(first.frame, 'main', 'of the first')).toBe('browser')
      expect(await knows(first.frame)).toEqual({ slots: ['main'], player: null })
      await first.page.close()

      await store.signIn(context, null)
      const guest = await play(context, game)
      expect(await knows(guest.frame)).toEqual(NOTHING)
      expect(await read(guest.frame, 'main')).toBeNull()
      await guest.page.close()

      await store.signIn(context, other.person)
      await allow(other.person, game)
      const second = await play(context, game)
      expect(await read(second.frame, 'main')).toBeNull()
      expect(await second.page.locator('dialog').count()).toBe(0)
      await second.page.close()

      await store.signIn(context, one.person)
      const again = await play(context, game)
      expect(await read(again.frame, 'main')).toBe('of the first')
      await again.page.close()

      // The player changes their mind.
      await allow(one.person, game)
      const agreed = await play(context, game)
      const taken = read(agreed.frame, 'main')
      await press(agreed.page, 'Take over')
      expect(await taken).toBe('of the first')
    })
    expect(await one.saves.text('main')).toBe('of the first')
    expect((await other.saves.list()).slots).toEqual([])
  })

  test('what waits to be sent is sent to its own account only', async () => {
    const game = await store.publish()
    const [one, other] = await twoPlayers(game)
    for (const { person } of [one, other]) await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, one.person)
      const first = await play(context, game)
      await context.route('**/api/v1/player/**', (route) => route.abort())
      expect(await write(first.frame, 'main', 'of the first')).toBe('waiting')
      await first.page.close()
      await context.unroute('**/api/v1/player/**')

      await store.signIn(context, other.person)
      const second = await play(context, game)
      expect(await read(second.frame, 'main')).toBeNull()
      expect((await knows(second.frame)).slots).toEqual([])
      expect(await write(second.frame, 'main', 'of the second')).toBe('account')
      await second.page.close()

      await store.signIn(context, one.person)
      const again = await play(context, game)
      expect(await read(again.frame, 'main')).toBe('of the first')
    })
    expect(await one.saves.text('main')).toBe('of the first')
    expect(await other.saves.text('main')).toBe('of the second')
  })

  test('a page that is open while somebody else signs in writes nothing into their account', async () => {
    const game = await store.publish()
    const [one, other] = await twoPlayers(game)
    for (const { person } of [one, other]) await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, one.person)
      const { page, frame } = await play(context, game)
      expect(await write(frame, 'main', 'one')).toBe('account')
      await store.signIn(context, other.person)
      // As after a quarter of an hour, the token has to be renewed.
      await context.route(
        '**/api/v1/player/**',
        (route) => route.fulfill({ status: 401, headers: { 'access-control-allow-origin': '*' } }),
        { times: 1 },
      )
      expect(await write(frame, 'main', 'two')).toBe('browser')
      expect(await read(frame, 'main')).toBe('two')
      expect(await page.getByText('From now on this game keeps').isVisible()).toBe(true)
      await page.close()

      const second = await play(context, game)
      expect(await read(second.frame, 'main')).toBeNull()
      await second.page.close()

      await store.signIn(context, one.person)
      const again = await play(context, game)
      const first = read(again.frame, 'main')
      await press(again.page, 'Take over')
      expect(await first).toBe('two')
    })
    expect((await other.saves.list()).slots).toEqual([])
    expect(await one.saves.text('main')).toBe('two')
  })

  test('a yes counts for the account that was asked', async () => {
    const game = await store.publish()
    const [one, other] = await twoPlayers(game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, one.person)
      const { page, frame } = await play(context, game)
      const answer = read(frame, 'main')
      await page.getByRole('button', { name: ALLOW }).waitFor()
      await store.signIn(context, other.person)
      await press(page, ALLOW)
      expect(await answer).toBeNull()
      expect(await knows(frame)).toEqual(NOTHING)
    })
    for (const { person } of [one, other]) {
      const choice = await person.json('GET', `/api/v1/private/games/${game.uid}/saves`)
      expect(await choice.json()).toMatchObject({ data: { allowed: null } })
    }
  })

  test('what a guest saved is offered to each, until they decide; closing the question decides nothing', async () => {
    const game = await store.publish()
    const [one, other] = await twoPlayers(game)
    for (const { person } of [one, other]) await allow(person, game)
    await store.withBrowser(async (context) => {
      const guest = await play(context, game)
      await write(guest.frame, 'main', 'of a guest')
      await guest.page.close()

      for (const { answer, expected } of [
        { answer: 'Escape', expected: null },
        { answer: 'Leave', expected: null },
        { answer: null, expected: null },
      ]) {
        await store.signIn(context, one.person)
        const { page, frame } = await play(context, game)
        const first = read(frame, 'main')
        if (answer === 'Escape') {
          await page.locator('dialog').waitFor()
          await page.keyboard.press('Escape')
        } else if (answer !== null) await press(page, answer)
        expect(await first).toBe(expected)
        expect(await page.locator('dialog').count()).toBe(0)
        await page.close()
      }

      await store.signIn(context, other.person)
      const second = await play(context, game)
      const taken = read(second.frame, 'main')
      await press(second.page, 'Take over')
      expect(await taken).toBe('of a guest')
    })
    expect((await one.saves.list()).slots).toEqual([])
    expect(await other.saves.text('main')).toBe('of a guest')
  })

  test('a permission that is taken back ends the saves in the account at once', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const { page, frame } = await play(context, game)
      expect(await write(frame, 'main', 'one')).toBe('account')
      await person.json('PUT', `/api/v1/private/games/${game.uid}/saves`, { allowed: false })
      expect(await write(frame, 'main', 'two')).toBe('browser')
      expect(await page.getByText('From now on this game keeps').isVisible()).toBe(true)
      expect(await page.locator('[data-saves-place=browser]').isVisible()).toBe(true)
      await page.close()
      const again = await play(context, game)
      expect(await read(again.frame, 'main')).toBe('two')
      expect(await knows(again.frame)).toEqual({ slots: ['main'], player: null })
    })
    expect(await saves.text('main')).toBe('one')
  })
})

describeInBrowser('other windows', () => {
  const store = useWebSaves()

  test('a second game gets nothing of the first', async () => {
    const [game, second] = [await store.publish(), await store.publish()]
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const first = await play(context, game)
      await write(first.frame, 'main', 'of the first game')
      const stolen = context.waitForEvent('request', (request) => request.url().includes('/saves/main'))
      void write(first.frame, 'main', 'again')
      const bearer = (await (await stolen).allHeaders())['authorization'] ?? ''
      expect(bearer).toStartWith('Bearer svc_visit_')

      const other = await play(context, second)
      const answer = read(other.frame, 'main')
      await press(other.page, ALLOW)
      expect(await answer).toBeNull()
      expect((await knows(other.frame)).slots).toEqual([])
      // Not even with the token of the first, at any other place.
      const status = (path: string) =>
        other.frame.evaluate<number>(
          `fetch('${store.server.url}${path}', { headers: { authorization: '${bearer}' } }).then(({ status }) => status)`,
        )
      expect(await status(`/api/v1/player/games/${second.uid}/saves`)).toBe(401)
      expect(await status('/api/v1/player/library')).toBeGreaterThanOrEqual(401)
    })
    expect((await saves.list()).slots).toHaveLength(1)
  })

  test('a window of another website gets no channel, neither around the game nor beside it', async () => {
    // Without isolation, so that the windows can reach each other at all.
    const game = await store.publish({ webPlayer: { ...WEB_PLAYER_DEFAULTS, isolation: false } })
    const { person } = await store.newPlayer(game)
    await allow(person, game)
    const play = `${store.server.url}/games/${game.vanityName}/play`
    using foreign = Bun.serve({
      port: 0,
      fetch: () => new Response('<!doctype html><title>Elsewhere</title>', { headers: HTML }),
    })
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${foreign.port}/`)
      await page.evaluate(`{
        globalThis.got = []
        addEventListener('message', ({ data, ports, origin }) => got.push([origin, data, ports.length]))
      }`)
      const opened = context.waitForEvent('page')
      await page.evaluate(`void (globalThis.shop = open('${play}'))`)
      const shop = await opened
      await press(shop, 'Start')
      const frame = await frameOf(shop, game)
      const ask =
        "for (const aim of [shop, shop.frames?.[0]].filter(Boolean)) aim.postMessage('playshelf', '*')"
      await page.evaluate(`void (() => { ${ask} })()`)
      // Once the game has got its own channel, an answer to the other would have come.
      expect(await write(frame, 'main', 'one')).toBe('account')
      await page.evaluate(`void (() => { ${ask} })()`)
      expect(await read(frame, 'main')).toBe('one')
      expect(await page.evaluate<unknown[]>('got')).toEqual([])

      // Neither the page nor the game can be put into a frame of the other website.
      for (const address of [play, `${game.origin}/`]) {
        await page.evaluate(
          `new Promise((done) => {
            const frame = Object.assign(document.createElement('iframe'), { src: '${address}', onload: done })
            document.body.append(frame)
          })`,
        )
      }
      const loaded = page.frames().map((one) => one.url())
      expect(loaded.filter((url) => url.startsWith('http://localhost') || url.includes(game.uid))).toEqual([])
    })
  })
})
