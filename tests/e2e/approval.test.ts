import { expect, test } from 'bun:test'

import { promotionRequests } from '../../src/db/schema/approvals.ts'
import { sha256Hex } from '../../src/lib/bytes/hash.ts'
import { insertGame } from '../helpers/listings.ts'
import { readVersions, release } from '../helpers/releases.ts'
import { cookiesOf } from '../helpers/site/browser.ts'
import { openWindow } from '../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../helpers/site/use-browser.ts'
import { usePerson, useStore } from '../helpers/store.ts'

describeInBrowser('the mailed link of a promotion, in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  const owner = usePerson(server)

  /** A listing with 1.0.0 on stable and 2.0.0 asked for, opened by someone who is not signed in. */
  async function openLink() {
    const game = await insertGame(server, owner, { name: 'Star <i>Harbour</i>' })
    await release(server, game.uid, { version: '1.0.0' })
    const build = await release(server, game.uid, { version: '2.0.0', channel: 'beta' })
    const token = crypto.randomUUID()
    await server.deps.db.insert(promotionRequests).values({
      gameUid: game.uid,
      buildUid: build.uid,
      channel: 'stable',
      requestedBy: owner.uid,
      tokenHash: sha256Hex(token),
      expiresAt: new Date(Date.now() + 10 * 60_000),
    })
    const { context, page } = await openWindow(opened.browser, server, null, { javaScriptEnabled: false })
    const link = `${server.url}/approvals/${token}`
    await page.goto(link)
    return { page, game, link, close: () => context.close() }
  }

  test('leads through signing in to the approval', async () => {
    const { page, game, link, close } = await openLink()
    await page.getByRole('heading', { name: 'Release version 2.0.0 of “Star <i>Harbour</i>”?' }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved: players get this build now.').waitFor()
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
    expect(await readVersions(owner, game.uid)).toEqual(['linux 2.0.0'])
    await page.goto(link)
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await close()
  })

  test('takes a rejection', async () => {
    const { page, game, close } = await openLink()
    await page.context().addCookies(cookiesOf(owner, server.url))
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('Rejected.').waitFor()
    expect(await readVersions(owner, game.uid)).toEqual(['linux 1.0.0'])
    await close()
  })
})
