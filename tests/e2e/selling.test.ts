import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import type { Person } from '../helpers/people.ts'
import { release } from '../helpers/releases.ts'
import {
  insertForSale,
  makeCode,
  type Shop,
  signUpBuyer,
  signUpSeller,
  startQuietShop,
} from '../helpers/selling/selling.ts'
import { fillShop } from '../helpers/site/shop-data.ts'
import { inspectPage, type KnownColours, openWindow } from '../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../helpers/site/use-browser.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }
const LONG_NAME = 'Unpronounceable'.repeat(5)

describeInBrowser('selling in a browser', () => {
  let shop: Shop
  const opened = useBrowser()
  beforeAll(async () => {
    // Without jobs no event is acted on: the pages learn from Stripe by themselves that it is paid.
    shop = await startQuietShop()
  })
  afterAll(async () => {
    await shop.stop()
  })

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

  test.each([
    ['a phone, without script', PHONE, false],
    ['a desktop, with script', DESKTOP, true],
  ])('cancel, buy, refund and redeem on %s', async (_, viewport, javaScriptEnabled) => {
    const seller = await signUpSeller(shop)
    const game = await insertForSale(shop, seller, { payMore: true })
    await release(shop.server, game.uid, { version: '1.0.0' })
    const buyer = await signUpBuyer(shop)
    const window = await openWindow(opened.browser, shop.server, buyer, { viewport, javaScriptEnabled })
    const { page } = window
    const buy = `Buy ${game.name}`
    const store = `/games/${game.vanityName}`

    await page.goto(store)
    await page.getByLabel('Your price').fill('12.34')
    await press(page, buy)
    await page.getByText('$12.34').waitFor()
    expect(page.url()).toStartWith(shop.stripe.origin)
    await press(page, 'Cancel')
    await page.getByText('Not paid').waitFor()
    await press(page, 'Cancel the order')
    await page.getByText('Nothing was charged').waitFor()
    await page.getByText('Expired', { exact: true }).waitFor()

    await page.getByRole('link', { name: game.name, exact: true }).click()
    await press(page, buy)
    await press(page, 'Pay')
    await page.getByText('Paid', { exact: true }).first().waitFor()
    const download = page.getByRole('link', { name: `Download ${game.name}` })
    await page.emulateMedia({ media: 'print' })
    await page.getByText('Sold by').waitFor()
    expect([await download.isVisible(), await page.getByText('Request a refund').isVisible()]).toEqual([
      false,
      false,
    ])
    await page.emulateMedia({ media: 'screen' })
    await download.click()
    await page.getByText('In your library').waitFor()
    await page
      .getByRole('link', { name: /^Download/ })
      .first()
      .waitFor()
    expect(await page.getByRole('button', { name: buy }).count()).toBe(0)

    await page.goto('/library')
    await page.getByRole('link', { name: `Receipt of ${game.name}` }).waitFor()
    await page.getByRole('row', { name: /Paid/ }).getByRole('link', { name: game.name }).first().click()
    await page.getByText('Request a refund').click()
    await press(page, 'Refund this order')
    await page.getByText('Your money is on its way back').waitFor()
    await page.getByText('Refunded', { exact: true }).waitFor()

    await page.goto('/redeem')
    await page.getByLabel('Code').fill(await makeCode(seller, game.uid))
    await press(page, 'Redeem')
    await page.getByText('Your key is redeemed').waitFor()
    await page
      .getByRole('link', { name: /^Download/ })
      .first()
      .waitFor()

    // The cover has no bytes, and the pages of Stripe are elsewhere.
    const expected = ['Failed to load resource', `foreign request ${shop.stripe.origin}`]
    const others = window.problems.filter((problem) => !expected.some((start) => problem.startsWith(start)))
    expect(others).toEqual([])
    await window.context.close()
  })

  test('an open order shows by itself that it was paid', async () => {
    const game = await insertForSale(shop, await signUpSeller(shop))
    const buyer = await signUpBuyer(shop)
    const { context, page } = await openWindow(opened.browser, shop.server, buyer)
    await page.goto(`/games/${game.vanityName}`)
    await press(page, `Buy ${game.name}`)
    await page.waitForURL(`${shop.stripe.origin}/**`)
    const session = page.url()
    await press(page, 'Cancel')
    await page.getByText('Not paid').waitFor()
    shop.stripe.pay(session)
    await page.getByText('Paid', { exact: true }).first().waitFor()
    await page.getByText('Request a refund').waitFor()
    expect(await page.getByText('The payment has not arrived yet').count()).toBe(0)
    await context.close()
  })

  test('has no faults at any width, in either theme', async () => {
    const data = await fillShop(shop, LONG_NAME)
    const { vanityName } = data.game.game
    const faults: string[] = []
    const known: KnownColours = new Set()
    /** Opens each path as this person, with everything on it unfolded. */
    const look = async (person: Person | null, paths: readonly string[]) => {
      const window = await openWindow(opened.browser, shop.server, person)
      for (const path of paths) {
        await window.page.goto(path)
        await window.page.evaluate(
          'for (const details of document.querySelectorAll("main details")) details.open = true',
        )
        faults.push(...(await inspectPage(window, undefined, known)).map((fault) => `${path}: ${fault}`))
      }
      await window.context.close()
    }
    await look(null, [data.game.path])
    await look(data.buyer, [
      data.game.path,
      data.free.path,
      data.notForSale.path,
      `/orders/${data.orders.open}`,
      `/orders/${data.orders.paid}`,
      '/orders',
      '/library',
      '/studio/payouts',
    ])
    await look(data.unready, ['/studio/payouts', `/studio/${data.notForSale.game.vanityName}/pricing`])
    await look(data.seller, [`/studio/${vanityName}/sales`, '/studio/sales', '/studio/payouts'])
    await look(data.operator, ['/operate/sales', '/operate/sales?q=nobody'])
    expect(faults).toEqual([])
  })
})
