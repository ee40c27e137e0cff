import { beforeAll, expect, test } from 'bun:test'

import type { Locator } from 'playwright-core'

import { drawPng, send } from '../../helpers/files/pictures.ts'
import { openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { type FullListing, publishListing } from '../../helpers/store-listing.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const HEIGHT = 844
const PHONE = {
  viewport: { width: 390, height: HEIGHT },
  userAgent: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140 Mobile',
}

describeInBrowser('the page of a game in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  const owner = usePerson(server)
  let full: FullListing
  beforeAll(async () => {
    full = await publishListing(server, owner, { name: 'Lantern Keeper' })
  })

  const boxOf = async (locator: Locator) => {
    const box = await locator.boundingBox()
    if (!box) throw new Error('It is not shown')
    return box
  }

  test('a phone has the button at the bottom all the time, and nothing hides behind it', async () => {
    const { context, page, problems } = await openWindow(opened.browser, server, null, PHONE)
    await page.goto(full.path)
    await page.getByText('Not for Android.').waitFor()
    const button = page.getByRole('button', { name: 'Get Lantern Keeper' })
    const above = await boxOf(button)
    expect(above.y).toBeGreaterThan(HEIGHT - 120)
    const last = page.getByRole('group', { name: 'Theme' })
    await last.scrollIntoViewIfNeeded()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    expect((await boxOf(button)).y).toBe(above.y)
    const { y, height } = await boxOf(last)
    expect(y + height).toBeLessThan(above.y)
    expect(problems).toEqual([])
    await context.close()
  })

  test('the search on a phone is a button on the picture until it is used', async () => {
    const { context, page } = await openWindow(opened.browser, server, null, PHONE)
    await page.goto(full.path)
    // Its role depends on whether words are suggested.
    const search = page.getByLabel('Search games', { exact: true })
    expect((await boxOf(search)).width).toBeLessThan(60)
    await search.focus()
    expect((await boxOf(search)).width).toBeGreaterThan(250)
    await page.keyboard.type('lantern')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?*lantern')
    await context.close()
  })

  test('the box follows on a wide window, and tabs keep it', async () => {
    const { context, page } = await openWindow(opened.browser, server, null, {
      viewport: { width: 1280, height: 900 },
    })
    await page.goto(full.path)
    const box = page.getByRole('region', { name: 'Get it' })
    const { y, height } = await boxOf(box)
    expect(y).toBeGreaterThan(200)
    const follow = await boxOf(page.locator('.follow-acts'))
    expect(follow.y - y - height).toBeWithin(1, 40)
    for (const [tab, heading] of [
      ['News', 'News of Lantern Keeper'],
      ['Reviews', 'Reviews of Lantern Keeper'],
      ['Files', 'Files of Lantern Keeper'],
    ] as const) {
      const tabs = page.getByRole('navigation', { name: 'Sections' })
      await tabs.getByRole('link', { name: tab, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await box.getByRole('link', { name: 'Download' }).first().waitFor()
    }
    await context.close()
  })

  test('the facts stand beside the text on wide windows, and below it on narrow ones', async () => {
    const { context, page } = await openWindow(opened.browser, server)
    const facts = page.getByRole('region', { name: 'Facts' })
    const text = page.getByRole('region', { name: 'About' })
    const button = page.getByRole('button', { name: 'Get Lantern Keeper' })
    const last = facts.getByRole('definition').last()
    for (const [width, height] of [
      [960, 800],
      [1440, 1000],
      [1366, 650],
      [1280, 600],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.goto(full.path)
      expect((await boxOf(facts)).x).toBeGreaterThan((await boxOf(text)).x + (await boxOf(text)).width)
      // Both the button and the end of the facts can be reached, and neither is left behind.
      await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)')
      const down = await page.evaluate<number>('scrollY')
      for (const part of [button, last]) {
        await part.scrollIntoViewIfNeeded()
        const { y, height: own } = await boxOf(part)
        expect(y).toBeWithin(0, height - own + 1)
      }
      expect(await page.evaluate<number>('scrollY')).toBe(down)
    }
    for (const width of [390, 820]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(full.path)
      const above = await boxOf(text)
      const { y, height } = await boxOf(facts)
      expect(y).toBeGreaterThan(above.y + above.height)
      expect((await boxOf(facts.getByRole('definition').first())).y).toBeGreaterThan(y + 20)
      expect((await boxOf(page.getByRole('region', { name: 'What is new' }))).y).toBeGreaterThan(y + height)
    }
    await context.close()
  })

  test('the cover is 21:9 on wide windows and 16:9 on phones, from the picture that has the pixels', async () => {
    const wide = await publishListing(server, owner)
    const images = `/api/v1/private/games/${wide.game.uid}/images/cover`
    await send(owner, images, await drawPng(1920, 1080))
    const { context, page } = await openWindow(opened.browser, server, null, { deviceScaleFactor: 1 })
    // From narrow to wide: browsers keep a larger picture that they already have.
    for (const [width, ratio, pixels] of [
      [390, 16 / 9, 1280],
      [820, 21 / 9, 1280],
      [1440, 21 / 9, 1920],
      [1920, 21 / 9, 1920],
    ] as const) {
      await page.setViewportSize({ width, height: 1000 })
      await page.goto(wide.path)
      const box = await boxOf(page.locator('.backdrop'))
      expect([width, Math.abs(box.width / box.height / ratio - 1) < 0.01]).toEqual([width, true])
      expect(box.width).toBe(width)
      const chosen = await page.evaluate<string>(
        `new URL(document.querySelector('.backdrop img').currentSrc).pathname`,
      )
      const sources = (await page.locator('.backdrop img').getAttribute('srcset')) ?? ''
      expect(sources.split(', ')).toContain(`${chosen} ${pixels}w`)
    }
    await context.close()
  })

  test('a name and a tagline in Arabic begin at the same edge as the rest', async () => {
    const named = await publishListing(server, owner, { name: 'مغامرة النجوم', tagline: 'رحلة بين النجوم' })
    const { context, page } = await openWindow(opened.browser, server, null)
    await page.goto(named.path)
    const leftOf = async (selector: string) =>
      await page.evaluate<number>(`(() => {
        const range = document.createRange()
        range.selectNodeContents(document.querySelector(${JSON.stringify(selector)}))
        return range.getBoundingClientRect().left
      })()`)
    const edge = await leftOf('.byline')
    for (const selector of ['.store-title h1', '.store-title .lead'])
      expect(Math.abs((await leftOf(selector)) - edge)).toBeLessThan(4)
    await context.close()
  })

  test('paper has the name, the text and the facts, and nothing to press', async () => {
    const { context, page } = await openWindow(opened.browser, server, null)
    await page.goto(full.path)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
    expect(await page.getByRole('heading', { name: 'Facts' }).isVisible()).toBe(true)
    expect(await page.getByText(server.url + full.path, { exact: true }).isVisible()).toBe(true)
    for (const button of await page.locator('.store .button').all())
      expect(await button.isVisible()).toBe(false)
    for (const part of ['banner', 'navigation', 'contentinfo'] as const) {
      expect([part, await page.getByRole(part).first().isVisible()]).toEqual([part, false])
    }
    await context.close()
  })

  test('another website shows the embed', async () => {
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        new Response(
          `<iframe src="${server.url}/embed/${full.game.vanityName}" title="Embed" width="280" height="140"></iframe>`,
          { headers: { 'content-type': 'text/html' } },
        ),
    })
    const { context, page } = await openWindow(opened.browser, server, null, { javaScriptEnabled: false })
    await page.goto(other.url.href)
    const link = page.frameLocator('iframe').getByRole('link', { name: 'Download Lantern Keeper' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe(server.url + full.path)
    // The smallest frame that oEmbed offers shows the whole of it.
    const frame = await boxOf(page.locator('iframe'))
    for (const part of [link, page.frameLocator('iframe').getByText('Playshelf')]) {
      const { x, y, width, height } = await boxOf(part)
      expect(x + width).toBeLessThan(frame.x + frame.width)
      expect(y + height).toBeLessThan(frame.y + frame.height)
    }
    await context.close()
    await other.stop(true)
  })
})
