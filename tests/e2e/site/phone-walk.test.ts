import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Locator, Page } from 'playwright-core'

import { webFilesOf } from '../../../src/demo/web/games.ts'
import { insertPublicGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { releaseWeb } from '../../helpers/play.ts'
import { findKeptPort } from '../../helpers/processes/child.ts'
import { indexNow } from '../../helpers/search/search.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { openWindow } from '../../helpers/site/site-checks.ts'
import { PASSWORD } from '../../helpers/site/steps.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { waitFor } from '../../helpers/wait.ts'

const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  userAgent: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140 Mobile',
  // Headers of its own would make the requests of the game cross-origin ones.
  extraHTTPHeaders: {},
}

const WEB_FILES = Object.entries(webFilesOf('one-more-stone') ?? {}).map(([name, data]) => ({ name, data }))

describeInBrowser("a new player's way to a game on a phone", () => {
  const opened = useBrowser()
  let server: TestServer
  let stoneUid: string
  let owner: Person

  beforeAll(async () => {
    const port = findKeptPort()
    const env = { PORT: String(port), BASE_URL: `http://localhost:${port}` }
    server = { ...(await startTestServer(env)), url: env.BASE_URL }
    owner = await signUp(server)
    const short = { tone: ['cozy' as const], sessionBucket: '15m' as const }
    const publish = async (name: string, values: Parameters<typeof insertPublicGame>[2]) => {
      const game = await insertPublicGame(server, owner, { name, ...values })
      await releaseWeb(server, game.uid, WEB_FILES)
      await indexNow(server, game.uid)
      return game
    }
    const stone = await publish('One More Stone', short)
    const letters = await publish('Winter Letters', short)
    await publish('Cosy Cellar', { ...short, genres: ['horror'] })
    await publish('Long Farm', { ...short, sessionBucket: '3h' })
    await owner.json('PATCH', `/api/v1/private/games/${stone.uid}`, { similar_titles: [letters.uid] })
    stoneUid = stone.uid
  })
  afterAll(async () => await server.stop())

  /** A phone on the home page, whose taps are counted. */
  async function land() {
    const { context, page } = await openWindow(opened.browser, server, null, PHONE)
    await page.goto('/')
    const count = { taps: 0 }
    const tap = async (target: Locator) => {
      await target.tap()
      count.taps += 1
    }
    return { context, page, count, tap }
  }

  type Tap = Awaited<ReturnType<typeof land>>['tap']

  async function search(page: Page, tap: Tap): Promise<void> {
    await tap(page.getByLabel('Search games', { exact: true }))
    await page.keyboard.type('short cosy no horror')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?*')
    const names = await page.getByRole('article').getByRole('heading').allTextContents()
    expect(names.toSorted()).toEqual(['One More Stone', 'Winter Letters'])
  }

  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

  async function start(page: Page, tap: Tap): Promise<void> {
    await tap(page.getByRole('button', { name: 'Start' }))
    const origin = `http://${stoneUid}.localhost:${server.port}/`
    const frame = await waitFor('the game', () => page.frames().find((one) => one.url() === origin))
    await frame.waitForFunction("document.querySelector('canvas')?.width > 0")
  }

  test('is four taps to playing, and seven to getting another', async () => {
    const { context, page, count, tap } = await land()
    await search(page, tap)
    await tap(link(page, 'One More Stone'))
    await tap(link(page, 'Play One More Stone'))
    await start(page, tap)
    expect(count.taps).toBe(4)

    await tap(link(page, 'Leave'))
    await tap(
      page.getByRole('region', { name: 'Similar titles' }).getByRole('link', { name: 'Winter Letters' }),
    )
    await tap(page.getByRole('button', { name: 'Get Winter Letters' }))
    expect(count.taps).toBe(7)

    // Getting it needs an account, which leads back to it.
    await tap(link(page, 'Create an account'))
    await page.getByLabel('Name').fill('Robin')
    await page.getByLabel('E-mail').fill(`${crypto.randomUUID()}@example.org`)
    await page.getByLabel('Password').fill(PASSWORD)
    await tap(page.getByRole('button', { name: 'Create account' }))
    await page.getByText('In your library').first().waitFor()
    await context.close()
  })

  test('is three taps to playing from the results', async () => {
    const { context, page, count, tap } = await land()
    await search(page, tap)
    await tap(page.getByRole('link', { name: /^Play in browser ?: One More Stone$/ }))
    await start(page, tap)
    expect(count.taps).toBe(3)
    await context.close()
  })
})
