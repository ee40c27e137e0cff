import axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

import { changelogEntries, editions } from '../../src/db/schema/game-pages.ts'
import { insertBuild, insertFile, pointChannel } from './builds.ts'
import { type GameRow, insertGame, verifyEmail } from './listings.ts'
import type { Person } from './people.ts'
import { drawPng, send } from './pictures.ts'
import { indexNow } from './search.ts'
import type { TestServer } from './server.ts'

export const ZIP_BYTES = new TextEncoder().encode('the bytes of a zip')

type GameValues = Parameters<typeof insertGame>[2]

export interface FullListing {
  game: GameRow
  fileUid: string
  path: string
}

/** Creates a public, indexed listing with pictures, a build to download, editions and news. */
export async function publishListing(
  server: TestServer,
  owner: Person,
  values: GameValues = {},
  file: Parameters<typeof insertFile>[2] = {},
): Promise<FullListing> {
  await verifyEmail(server, owner)
  const game = await insertGame(server, owner, { visibility: 'public', anonymousDownloads: true, ...values })
  const images = `/api/v1/private/games/${game.uid}/images`
  const form = async () => {
    const body = new FormData()
    body.set('file', await drawPng(320, 180), 'picture.png')
    return body
  }
  await owner.fetch(`${images}/cover`, { method: 'PUT', body: await form() })
  for (let count = 0; count < 2; count += 1) await send(owner, `${images}/gallery`, await drawPng(320, 180))
  const build = await insertBuild(server, game.uid)
  await pointChannel(server, build)
  const entries = [{ path: 'data/<b>.bin', size: 12, sha256: 'a'.repeat(64) }]
  const checksum = new Bun.CryptoHasher('sha256').update(ZIP_BYTES).digest('hex')
  const stored = await insertFile(server, build, { checksum, ...file }, entries)
  await server.deps.store.put(stored.objectKey, ZIP_BYTES)
  const { db } = server.deps
  await db.insert(changelogEntries).values({
    gameUid: game.uid,
    title: 'The lamp turns',
    body: '# Big\n\n### Small\n\n- one',
    version: '1.0.0',
  })
  await db.insert(editions).values({ gameUid: game.uid, name: 'Deluxe', priceCents: 999, active: true })
  await indexNow(server, game.uid)
  return { game, fileUid: stored.uid, path: `/games/${game.vanityName}` }
}

/** Opens a separate browser window, signed in if a person is given. */
export async function openWindow(
  browser: Browser,
  server: TestServer,
  person: Person | null,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; problems: string[] }> {
  const context = await browser.newContext(options)
  if (person) {
    const cookies = person.cookie.split('; ').map((pair) => {
      const at = pair.indexOf('=')
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: server.url }
    })
    await context.addCookies(cookies)
  }
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('dialog', (dialog) => {
    problems.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:'))
      problems.push(`foreign request ${request.url()}`)
  })
  return { context, page, problems }
}

/** Lists axe's violations in the current page. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return await page.evaluate<
    string[]
  >(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary)))`)
}

/** Lists the elements that make the page scroll sideways. */
export async function findOverflow(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > innerWidth)
      .map((element) => element.localName + '.' + element.className + ' ' + element.textContent.slice(0, 40))`)
}
