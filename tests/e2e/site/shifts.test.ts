import { beforeAll, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { type FullListing, publishListing } from '../../helpers/store-listing.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const SHIFT_MAX = 0.02
/** Chromium reports every move of something visible that no input caused, from the first paint on. */
const WATCH = `window.shifts = []
new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })`
/** Two frames later, and one task: the observer was called. */
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))`

/** Nothing is painted before there is a body. */
const PIECES = /(?=<main|<(?:section|form|fieldset|article|nav)[ >])/

/** Sends a page in pieces, each after the one before was painted: so it comes over a slow line or to a busy machine. */
function serveInPieces(address: string, painted: () => Promise<unknown>) {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch({ url, headers }) {
      const { pathname, search } = new URL(url)
      const answer = await fetch(address + pathname + search, {
        headers: { ...Object.fromEntries(headers), 'accept-encoding': 'identity' },
      })
      if (answer.headers.get('content-type')?.startsWith('text/html') !== true) return answer
      const [head = '', ...rest] = (await answer.text()).split(PIECES)
      async function* send() {
        yield head
        for (const piece of rest) {
          await painted()
          yield piece
        }
      }
      return new Response(send(), { status: answer.status, headers: answer.headers })
    },
  })
}

describeInBrowser('pages keep still while they load', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  const owner = usePerson(server)
  let full: FullListing
  beforeAll(async () => {
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
  test.each(pages)('%s', async (_name, path) => {
    for (const width of [390, 1440]) {
      const shown: { page?: Page } = {}
      // A page that is being left cannot be asked; the next piece then comes at once.
      const painted = () => shown.page?.evaluate(SETTLED).catch(() => null) ?? Promise.resolve()
      const pieces = serveInPieces(server.url, painted)
      const { context, page } = await openWindow(opened.browser, { url: pieces.url.origin }, owner, {
        viewport: { width, height: 900 },
      })
      shown.page = page
      await page.addInitScript(WATCH)
      await page.goto(path())
      await page.evaluate(SETTLED)
      const shifts = await page.evaluate<number>('shifts.reduce((sum, { value }) => sum + value, 0)')
      expect([width, shifts < SHIFT_MAX, shifts]).toEqual([width, true, shifts])
      await context.close()
      await pieces.stop(true)
    }
  })
})
