import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { BrowserContext, Frame, Page } from 'playwright-core'

import { webFilesOf } from '../../src/demo/web/games.ts'
import { WEB_PLAYER_DEFAULTS } from '../../src/domain/listings/web-player.ts'
import type { ZipPart } from '../helpers/files/zips.ts'
import { insertLicense, insertPublicGame } from '../helpers/listings.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { releaseWeb } from '../helpers/play.ts'
import { findKeptPort } from '../helpers/processes/child.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { cookiesOf, openProfile } from '../helpers/site/browser.ts'
import { inspectPage } from '../helpers/site/site-checks.ts'
import { describeInBrowser } from '../helpers/site/use-browser.ts'
import { waitFor } from '../helpers/wait.ts'

type Values = Parameters<typeof insertPublicGame>[2]

const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
const PLAIN: ZipPart[] = [{ name: 'index.html', data: '<!doctype html><title>First</title><h1>A game</h1>' }]

describeInBrowser('playing in a browser', () => {
  let server: TestServer
  let profile: Awaited<ReturnType<typeof openProfile>>
  let context: BrowserContext
  let owner: Person
  beforeAll(async () => {
    const port = findKeptPort()
    const env = { PORT: String(port), BASE_URL: `http://localhost:${port}`, TRUST_PROXY: '1' }
    server = { ...(await startTestServer(env)), url: env.BASE_URL }
    owner = await signUp(server)
    profile = await openProfile(server.url)
    context = profile.context
  })
  afterAll(async () => {
    await profile.close()
    await server.stop()
  })

  async function publish(parts: readonly ZipPart[], values: Values = {}) {
    const game = await insertPublicGame(server, owner, values)
    await releaseWeb(server, game.uid, parts)
    return {
      ...game,
      path: `/games/${game.vanityName}/play`,
      origin: `http://${game.uid}.localhost:${server.port}`,
    }
  }
  type Published = Awaited<ReturnType<typeof publish>>

  function demo(name: string): ZipPart[] {
    return Object.entries(webFilesOf(name) ?? {}).map(([path, data]) => ({ name: path, data }))
  }

  async function open({ path }: Pick<Published, 'path'>, viewport = DESKTOP): Promise<Page> {
    const page = await context.newPage()
    await page.setViewportSize(viewport)
    await page.goto(path)
    return page
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

  /** The window of the game, once it has loaded; after a restart, not the one `before`. */
  async function frameOf(page: Page, { origin }: Published, before?: Frame): Promise<Frame> {
    const frame = await waitFor('the frame', () =>
      page.frames().find((one) => one !== before && one.url() === `${origin}/`),
    )
    await frame.waitForFunction("document.readyState === 'complete' && document.title !== ''")
    // Until then keys reach the page around it.
    await page.waitForFunction("document.activeElement?.localName === 'iframe'")
    return frame
  }

  async function start(page: Page, game: Published): Promise<Frame> {
    await press(page, 'Start')
    return await frameOf(page, game)
  }

  async function signIn(person: Person, into = context): Promise<void> {
    await into.addCookies(cookiesOf(person, server.url))
  }

  test('a game with a worker and shared memory runs, and loads nothing before Start', async () => {
    const game = await publish(demo('static-bloom'))
    const page = await open(game)
    const foreign: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) foreign.push(request.url())
    })
    await page.reload({ waitUntil: 'networkidle' })
    expect(foreign).toEqual([])
    // By keyboard alone; then the keys are the game's.
    const button = page.getByRole('button', { name: 'Start' })
    await button.focus()
    const worker = page.waitForEvent('worker')
    await page.keyboard.press('Enter')
    await worker
    const frame = await frameOf(page, game)
    expect(await frame.evaluate('crossOriginIsolated')).toBe(true)
    await page.keyboard.press('Enter')
    await frame.waitForFunction(`(() => {
      const canvas = document.querySelector('canvas')
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      let bright = 0
      for (let at = 0; at < data.length; at += 4)
        bright += Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) > 100
      return bright > 100
    })()`)
    await page.close()
  })

  test('saves survive an update, and no other game sees them', async () => {
    const game = await publish(demo('one-more-stone'))
    const page = await open(game)
    const first = await start(page, game)
    await first.waitForFunction("'playshelf' in globalThis")
    // Then the game has looked for its own.
    expect(await first.evaluate('playshelf.saves.list()')).toEqual([])
    await page.keyboard.press('Space')
    await first.waitForFunction("localStorage.getItem('playshelf.save.progress') !== null")
    await first.evaluate(`new Promise((done, fail) => {
      const opening = indexedDB.open('saves')
      opening.onsuccess = done
      opening.onerror = fail
    })`)
    const saved = await first.evaluate('JSON.stringify(localStorage)')

    const next = demo('one-more-stone').map((part) =>
      part.name === 'index.html'
        ? { ...part, data: String(part.data).replace('One More', 'Two More') }
        : part,
    )
    await releaseWeb(server, game.uid, next, { version: '2.0.0' })
    await press(page, 'Restart')
    expect(await (await frameOf(page, game, first)).title()).toBe('One More Stone')
    await context.clearCookies({ name: 'play' })
    await page.reload()
    const second = await start(page, game)
    expect(await second.title()).toBe('Two More Stone')
    expect(await second.evaluate('JSON.stringify(localStorage)')).toBe(saved)

    const other = await publish(PLAIN)
    await page.goto(other.path)
    const foreign = await start(page, other)
    const seen = 'indexedDB.databases().then((found) => [localStorage.length, found.length, document.cookie])'
    expect(await foreign.evaluate(seen)).toEqual([0, 0, ''])
    await page.close()
  })

  test('a game reaches neither the session nor the window of the store', async () => {
    const player = await signUp(server)
    await signIn(player)
    const game = await publish(PLAIN)
    const page = await open(game)
    const frame = await start(page, game)
    const tries = {
      cookies: 'document.cookie',
      account: `fetch('${server.url}/api/v1/private/me', { credentials: 'include' }).then((got) => got.text(), () => 'refused')`,
      signOut: `fetch('${server.url}/sign-out', { method: 'POST', mode: 'no-cors', credentials: 'include' }).then(() => 'sent', () => 'refused')`,
      page: `(() => { try { return parent.document.title } catch { return 'refused' } })()`,
      leave: `(() => { try { top.location.href = 'about:blank' } catch { return 'refused' } })()`,
      popUp: `String(open('about:blank'))`,
    }
    const got: Record<string, unknown> = {}
    for (const [name, code] of Object.entries(tries)) got[name] = await frame.evaluate(code)
    expect(got).toMatchObject({
      cookies: '',
      account: 'refused',
      page: 'refused',
      leave: 'refused',
      popUp: 'null',
    })
    expect(page.url()).toBe(server.url + game.path)
    expect((await player.fetch('/api/v1/private/me')).status).toBe(200)
    await context.clearCookies()
    await page.close()
  })

  test('a licensed player starts it again with a new ticket, and the time counts', async () => {
    const player = await signUp(server)
    const game = await publish(PLAIN, { priceCents: 500 })
    await insertLicense(server, game.uid, player)
    await signIn(player)
    const page = await open(game)
    const beat = page.waitForResponse((answer) => answer.url().endsWith('/play/heartbeat'))
    const first = await start(page, game)
    expect(await first.title()).toBe('First')
    expect((await beat).status()).toBe(200)
    const ticket = page.waitForResponse((answer) => answer.url().includes('?ticket='))
    await press(page, 'Restart')
    expect((await ticket).status()).toBe(302)
    expect(await (await frameOf(page, game, first)).title()).toBe('First')
    await context.setOffline(true)
    await press(page, 'Restart')
    await page.getByRole('alert').getByText('could not be started').waitFor()
    await context.setOffline(false)
    await context.clearCookies()
    await page.close()
  })

  test('starts long after the page was opened, and reports play time every minute while it is visible', async () => {
    const player = await signUp(server)
    const game = await publish(PLAIN, { priceCents: 500 })
    await insertLicense(server, game.uid, player)
    // The clock is that of all windows.
    const own = await openProfile(server.url)
    await signIn(player, own.context)
    const page = await own.context.newPage()
    await page.clock.install()
    const sessions: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/play/heartbeat')) sessions.push(request.postDataJSON().session_id)
    })
    const pass = async (ms: number) => await page.clock.runFor(ms)
    const beats = async (count: number) => await waitFor('the heartbeats', () => sessions.length === count)
    await page.goto(game.path)
    const stale = await page.locator('[data-player]').getAttribute('data-url')
    await pass(61_000)
    const opened = page.waitForRequest((request) => request.url().includes('?ticket='))
    await press(page, 'Start')
    expect((await opened).url()).not.toBe(String(stale))
    expect(await (await frameOf(page, game)).title()).toBe('First')
    await beats(1)
    await pass(180_000)
    await beats(4)
    await show(page, 'hidden')
    await beats(5)
    await pass(600_000)
    await show(page, 'visible')
    await beats(6)
    expect([new Set(sessions.slice(0, 5)).size, new Set(sessions).size]).toEqual([1, 2])
    await own.close()
  })

  /** As when the window is covered, or shown again. */
  async function show(page: Page, state: 'hidden' | 'visible'): Promise<void> {
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' })
      document.dispatchEvent(new Event('visibilitychange'))`)
  }

  test('fills the screen on demand, and the keys stay with the game', async () => {
    const game = await publish(PLAIN, { webPlayer: { ...WEB_PLAYER_DEFAULTS, width: 480, height: 640 } })
    const page = await open(game)
    const size = async () => {
      const { width = 0, height = 0 } = (await page.locator('iframe').boundingBox()) ?? {}
      return { width, height }
    }
    await start(page, game)
    expect(await size()).toEqual({ width: 480, height: 640 })
    await press(page, 'Full screen')
    await page.waitForFunction('document.fullscreenElement?.matches(".player")')
    await waitFor(
      'the full width',
      async () => (await size()).width === (await page.evaluate<number>('innerWidth')),
    )
    await page.waitForFunction("document.activeElement?.localName === 'iframe'")
    await page.evaluate('document.exitFullscreen()')
    await page.waitForFunction('document.fullscreenElement === null')
    await page.setViewportSize({ width: 700, height: 500 })
    const small = await size()
    expect(Math.abs(small.width / small.height - 480 / 640)).toBeLessThan(0.01)
    await page.close()
  })

  test('on a phone it fills the screen, with the way back in reach', async () => {
    const game = await publish(PLAIN, { webPlayer: { ...WEB_PLAYER_DEFAULTS, mobile: false } })
    const page = await open(game, PHONE)
    expect(await page.getByText('not made for phones').isVisible()).toBe(true)
    await start(page, game)
    const box = await page.locator('iframe').boundingBox()
    expect(box).toMatchObject({ x: 0, width: PHONE.width })
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(PHONE.height)
    expect(box?.y).toBeLessThan(64)
    expect(await page.getByRole('link', { name: 'Playshelf' }).isVisible()).toBe(false)
    await page.getByRole('link', { name: 'Leave' }).click()
    await page.waitForURL(`**/games/${game.vanityName}`)
    await page.goBack()
    await page.waitForURL(`**${game.path}`)
    await page.close()
  })

  test('without script a link opens the game', async () => {
    const game = await publish(PLAIN)
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setScriptExecutionDisabled', { value: true })
    await page.goto(game.path)
    expect(await page.getByRole('button', { name: 'Start' }).isVisible()).toBe(false)
    await page.getByRole('link', { name: 'Open the game' }).click()
    await page.waitForURL(`${game.origin}/`)
    expect(await page.title()).toBe('First')
    await page.close()
  })

  test('the page has no fault that axe finds, before and after Start', async () => {
    const game = await publish(PLAIN, { webPlayer: { ...WEB_PLAYER_DEFAULTS, mobile: false } })
    const page = await open(game)
    expect(await inspectPage({ context, page, problems: [] })).toEqual([])
    await start(page, game)
    expect(await inspectPage({ context, page, problems: [] })).toEqual([])
    await page.close()
  })
})
