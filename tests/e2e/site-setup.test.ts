import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createSetupAddress } from '../../src/features/operate/setup/service.ts'
import { makeCode, stepAt } from '../../src/lib/totp.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { findBrowser, openBrowser, type TestBrowser } from '../helpers/site/browser.ts'
import { inspectPage, openWindow } from '../helpers/site/site-checks.ts'

const installed = findBrowser() !== null
if (!installed && process.env.REQUIRE_ENGINES === '1') throw new Error('Chromium is required and not there')

describe.skipIf(!installed)('the first start in a browser', () => {
  let server: TestServer
  let opened: TestBrowser
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1' })
    opened = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await opened.close()
    await server.stop()
  })

  test('goes from the printed address to a store with its operator and second factor, without script', async () => {
    const window = await openWindow(opened.browser, server, null, { javaScriptEnabled: false })
    const { page, context } = window
    const looked = await openWindow(opened.browser, server)
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
    const path = ((await createSetupAddress(server.deps)) ?? '').replace(server.url, '')
    const faults: string[] = []
    for (const address of ['/', path]) {
      await looked.page.goto(address)
      faults.push(...(await inspectPage(looked)).map((fault) => `${address}: ${fault}`))
    }
    await looked.context.close()
    expect(faults).toEqual([])

    await page.goto(path)
    await page.getByLabel('Name of the store').fill('Lantern Games')
    await page.getByLabel('Colour').fill('#0f766e')
    await page.getByLabel('Who can create an account').selectOption('invite')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('E-mail').fill('ada@example.org')
    await page.getByLabel('Password').fill('a lamp in the window')
    await press('Set up the store')
    expect(await page.title()).toEndWith('Lantern Games')
    expect(await page.getByRole('status').first().textContent()).toContain('Your store is set up')

    await press('Add authenticator app')
    const secret = (await page.locator('code.secret').first().textContent()) ?? ''
    await page.getByLabel('Code', { exact: true }).fill(makeCode(secret, stepAt(Date.now())))
    await press('Confirm the app')
    expect(await page.getByRole('heading', { name: 'Recovery codes' }).isVisible()).toBe(true)

    await page.goto('/operate')
    expect(await page.getByRole('heading', { name: /^Before you open/ }).isVisible()).toBe(true)
    await page.goto(path)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('This address does not work')
    await context.close()
  }, 120_000)
})
