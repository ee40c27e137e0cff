import { beforeAll, expect, test } from 'bun:test'

import { type Person, signUp } from '../../helpers/people.ts'
import { openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { type FullListing, publishListing } from '../../helpers/store-listing.ts'
import { useStore } from '../../helpers/store.ts'

const SHIFT_MAX = 0.02
/** A busy machine may paint a page in pieces; a page that moves by itself does so every time. */
const STEADY = { retry: 2 }
/** Chromium reports every move of something visible that no input caused, from the first paint on. */
const WATCH = `window.shifts = []
new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })`
/** Scripts arrive after the first paint, as on a slow line. */
const PAINTED = `new Promise((done) => new PerformanceObserver((list) => {
  if (list.getEntriesByName('first-contentful-paint').length > 0) done()
}).observe({ type: 'paint', buffered: true }))`
/** Two frames later, and one task: the observer was called. */
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))`

describeInBrowser('pages keep still while they load', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  let owner: Person
  let full: FullListing
  beforeAll(async () => {
    owner = await signUp(server)
    full = await publishListing(server, owner, { name: 'Lantern Keeper' })
  })

  const pages: readonly (readonly [name: string, path: () => string])[] = [
    ['the home page', () => '/'],
    ['the search page', () => '/search'],
    ['a store page', () => full.path],
    ['a file page', () => `${full.path}/files/${full.fileUid}`],
    ['the builds of the studio', () => `/studio/${full.game.vanityName}/builds`],
    ['the page editor of the studio', () => `/studio/${full.game.vanityName}/page`],
    ['the media of the studio', () => `/studio/${full.game.vanityName}/media`],
    ['the deploy keys of the studio', () => `/studio/${full.game.vanityName}/deploy-keys`],
  ]
  test.each(pages)(
    '%s',
    async (_name, path) => {
      for (const width of [390, 1440]) {
        const { context, page } = await openWindow(opened.browser, server, owner, {
          viewport: { width, height: 900 },
        })
        await page.addInitScript(WATCH)
        await page.route('**/*.js', async (route) => {
          await page.evaluate(PAINTED)
          await route.continue()
        })
        await page.goto(path())
        await page.evaluate(SETTLED)
        expect(await page.evaluate<number>('shifts.reduce((sum, { value }) => sum + value, 0)')).toBeLessThan(
          SHIFT_MAX,
        )
        await context.close()
      }
    },
    STEADY,
  )
})
