import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { CDPSession, Page, Request } from 'playwright-core'

import { waitForMail } from '../helpers/mails.ts'
import { findKeptPort } from '../helpers/processes/child.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { inspectPage, openWindow, type SiteWindow } from '../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../helpers/site/use-browser.ts'

const PASSWORD = 'a lamp in the window'
const isAccount = ({ pathname }: URL) => pathname === '/account/security'

describeInBrowser('passkeys in a browser', () => {
  let server: TestServer
  const opened = useBrowser()
  beforeAll(async () => {
    // Browsers bind passkeys to a host name.
    const port = findKeptPort()
    const env = { PORT: String(port), BASE_URL: `http://localhost:${port}`, TRUST_PROXY: '1', ROLE: 'all' }
    server = { ...(await startTestServer(env)), url: env.BASE_URL }
  })
  afterAll(async () => {
    await server.stop()
  })

  /** A device in the browser; without verification it has neither PIN nor fingerprint. */
  async function addDevice({ context, page }: SiteWindow, isUserVerified: boolean): Promise<CDPSession> {
    const session = await context.newCDPSession(page)
    await session.send('WebAuthn.enable')
    const options = {
      ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const),
      hasUserVerification: isUserVerified,
      isUserVerified,
      automaticPresenceSimulation: true,
    }
    await session.send('WebAuthn.addVirtualAuthenticator', { options })
    return session
  }

  async function signUp(page: Page, email: string): Promise<void> {
    await page.goto('/sign-up')
    await page.getByLabel('Name').fill('Robin Lamp')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/account?done=welcome')
    await page.goto('/account/security')
  }

  test.each([1280, 390])('is added, signs in and is removed, at a width of %d', async (width) => {
    const window = await openWindow(opened.browser, server, null, { viewport: { width, height: 800 } })
    const { context, page, problems } = window
    await addDevice(window, true)
    // The device in the browser would accept the browser's own suggestion before anything is pressed.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    const email = `lamp-${crypto.randomUUID().slice(0, 8)}@example.org`
    await signUp(page, email)
    await page.getByLabel('Name of the new passkey').fill('Laptop')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.waitForURL('**/account/security?done=passkey#security')
    await page.getByText('Rename').click()
    await page.getByLabel('New name').fill('Desk')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.waitForURL('**/account/security?done=renamed#security')
    expect(await page.getByRole('button', { name: 'Remove the passkey Desk' }).count()).toBe(1)
    await waitForMail(server, email, 'Your account has a new way to sign in')

    await context.clearCookies()
    await page.goto('/sign-in?next=/account/security')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL(isAccount)
    expect(await page.getByText('last used').count()).toBe(1)

    await context.clearCookies()
    await page.goto('/sign-in')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/second-step')
    await page.getByRole('button', { name: 'Use a passkey instead' }).click()
    await page.waitForURL((url) => url.pathname === '/')

    await page.goto('/confirm?next=/account/security')
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await page.waitForURL(isAccount)
    await page.getByRole('button', { name: 'Remove the passkey Desk' }).click()
    await page.waitForURL('**/account/security?done=factor-removed#security')
    expect(problems).toEqual([])
    await context.close()
  })

  test('an assertion signs in once, also when two processes get it several times at once', async () => {
    const { databaseUrl, dataDir, url } = server
    const second = await startTestServer({
      TRUST_PROXY: '1',
      BASE_URL: url,
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
    })
    const window = await openWindow(opened.browser, server)
    const { context, page } = window
    try {
      await addDevice(window, true)
      await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
      await signUp(page, `lamp-${crypto.randomUUID().slice(0, 8)}@example.org`)
      await page.getByRole('button', { name: 'Add passkey' }).click()
      await page.waitForURL('**/account/security?done=passkey#security')
      await context.clearCookies()
      await page.goto('/sign-in')
      const caught = Promise.withResolvers<Request>()
      await page.route('**/passkey/verify-authentication', async (route) => {
        caught.resolve(route.request())
        await route.abort()
      })
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      const request = await caught.promise
      const init = { method: 'POST', headers: await request.allHeaders(), body: request.postData() ?? '' }
      const answers = await Promise.all(
        [server, second, server, second].map((one) =>
          one.fetch('/api/auth/passkey/verify-authentication', init),
        ),
      )
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400])
      expect((await second.fetch('/api/auth/passkey/verify-authentication', init)).status).toBe(400)
    } finally {
      await context.close()
      await second.stop()
    }
  })

  test('the browser suggests the passkey in the e-mail field', async () => {
    const window = await openWindow(opened.browser, server)
    const { context, page, problems } = window
    await addDevice(window, true)
    await signUp(page, `lamp-${crypto.randomUUID().slice(0, 8)}@example.org`)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.waitForURL('**/account/security?done=passkey#security')
    await context.clearCookies()
    await page.goto('/sign-in?next=/account/security')
    await page.waitForURL(isAccount)
    expect(problems).toEqual([])
    await context.close()
  })

  test('a device that does not check the person is refused with a sentence', async () => {
    const window = await openWindow(opened.browser, server)
    await addDevice(window, false)
    const { context, page } = window
    await signUp(page, `lamp-${crypto.randomUUID().slice(0, 8)}@example.org`)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.locator('[data-passkey=add] [role=alert]').waitFor({ state: 'visible' })
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0)
    await context.close()
  })

  test('axe finds nothing on the pages of sign-in, in both themes and widths', async () => {
    const window = await openWindow(opened.browser, server)
    const { context, page } = window
    await addDevice(window, true)
    for (const path of ['/sign-in', '/second-step']) {
      await page.goto(path)
      expect(await inspectPage(window)).toEqual([])
    }
    await signUp(page, `lamp-${crypto.randomUUID().slice(0, 8)}@example.org`)
    await page.getByRole('button', { name: 'Add authenticator app' }).click()
    await page.getByRole('img', { name: 'QR code for the app' }).waitFor()
    expect(await inspectPage(window)).toEqual([])
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.waitForURL('**/account/security?done=passkey#security')
    await page.getByRole('button', { name: 'Make new codes' }).click()
    await page.locator('.recovery-codes').waitFor()
    expect(await inspectPage(window)).toEqual([])
    await page.goto('/confirm')
    expect(await inspectPage(window)).toEqual([])
    await context.close()
  })
})
