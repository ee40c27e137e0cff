import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { insertLicense, insertPublicGame, setPlayMinutes } from '../../helpers/listings.ts'
import { waitForMail } from '../../helpers/mails.ts'
import { asPerson, type Person, signUp } from '../../helpers/people.ts'
import { release } from '../../helpers/releases.ts'
import { openWindow, type SiteWindow } from '../../helpers/site/site-checks.ts'
import { fillWhenDrawn } from '../../helpers/site/steps.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { useStore } from '../../helpers/store.ts'

const PASSWORD = 'a lamp in the window'
const NEW_PASSWORD = 'two lamps in the window'

describeInBrowser('accounts in a browser without script', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })

  const openNobody = () => openWindow(opened.browser, server, null, { javaScriptEnabled: false })

  async function openAs(person: Person, path: string): Promise<SiteWindow> {
    const window = await openWindow(opened.browser, server, person, { javaScriptEnabled: false })
    await window.page.goto(path)
    return window
  }

  /** A click ends as soon as the next page begins to arrive. */
  const press = async (page: Page, name: string) => {
    await page.getByRole('button', { name }).click()
    await page.waitForLoadState()
  }
  const addressOf = (page: Page) => {
    const { pathname, search } = new URL(page.url())
    return pathname + search
  }

  test('from signing up to a forgotten password', async () => {
    const { context, page } = await openNobody()
    const email = `lamp-${crypto.randomUUID().slice(0, 8)}@example.org`

    await page.goto('/sign-up?next=/library')
    await page.getByLabel('Name').fill('Robin Lamp')
    await page.getByLabel('E-mail').fill('not an address')
    await page.getByLabel('Password').fill('short')
    await press(page, 'Create account')
    expect(await page.getByRole('alert').getByRole('link').count()).toBe(2)
    expect(await page.getByLabel('Name').inputValue()).toBe('Robin Lamp')
    expect(await page.getByLabel('E-mail').inputValue()).toBe('not an address')
    expect(await page.getByLabel('Password').inputValue()).toBe('')
    const described = await page.getByLabel('E-mail').getAttribute('aria-describedby')
    expect(await page.locator(`#${described}`).textContent()).toContain('name@example.org')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await press(page, 'Create account')
    expect(addressOf(page)).toBe('/library')
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor()

    const { link } = await waitForMail(server, email, 'Confirm your e-mail address')
    await page.goto(link)
    await page.getByText(email).waitFor()
    await press(page, 'Confirm address')
    await page.getByRole('heading', { name: 'Your e-mail address is confirmed' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'To your account' }).click()
    await page.getByText('Confirmed', { exact: true }).waitFor()

    await page.goto('/account/profile')
    await page.getByLabel('Username').fill('robin-lamp-2')
    await page.getByLabel('Developer mode').check()
    await press(page, 'Save profile')
    await page.getByRole('status').filter({ hasText: 'Your profile is saved.' }).waitFor()
    expect(await page.getByLabel('Username').inputValue()).toBe('robin-lamp-2')
    expect(await page.getByLabel('Developer mode').isChecked()).toBe(true)
    await page.getByRole('link', { name: 'Privacy', exact: true }).click()
    await page.getByLabel('Tags to always hide').fill('Gore, jump scares')
    await press(page, 'Save choice')
    await page.getByRole('status').filter({ hasText: 'Your choice is saved.' }).waitFor()
    expect(await page.getByLabel('Tags to always hide').inputValue()).toBe('gore, jump-scares')
    await fillWhenDrawn(page.getByLabel('Tags to always hide'), 'ünfit!')
    await press(page, 'Save choice')
    expect(await page.getByRole('alert').textContent()).toContain('ünfit!')
    expect(await page.getByLabel('Tags to always hide').inputValue()).toBe('ünfit!')

    await page.goto('/account/keys')
    await page.getByLabel('Label').fill('Living room')
    await press(page, 'Create key')
    const key = (await page.locator('.secret').textContent()) ?? ''
    expect(key).toStartWith('svc_play_')
    const use = () => server.fetch('/api/v1/public/search', { headers: { authorization: `Bearer ${key}` } })
    expect((await use()).status).toBe(200)
    await page.goto('/account/keys')
    expect(await page.content()).not.toContain(key)
    await press(page, 'Delete the key Living room')
    expect((await use()).status).toBe(401)

    // The menu opens without script.
    await press(page, 'Robin Lamp robin-lamp-2')
    await press(page, 'Sign out')
    expect(addressOf(page)).toBe('/')
    await page.goto('/account')
    expect(addressOf(page)).toBe('/sign-in?next=%2Faccount')

    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('E-mail').fill(email)
    await press(page, 'Send link')
    const said = await page.getByRole('status').textContent()
    await page.getByLabel('E-mail').fill(`nobody-${email}`)
    await press(page, 'Send link')
    expect(await page.getByRole('status').textContent()).toBe(said)
    const reset = await waitForMail(server, email, 'Set a new password')
    await page.goto(reset.link)
    await page.getByLabel('New password').fill('short')
    await press(page, 'Set password')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await press(page, 'Set password')
    await page.getByText('Your new password is set.').waitFor()

    await page.goto('/sign-in?next=/account%23keys')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await press(page, 'Sign in')
    expect(await page.getByRole('alert').textContent()).toContain('is wrong')
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email)
    await page.getByLabel('Password').fill(NEW_PASSWORD)
    await press(page, 'Sign in')
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
    await context.close()
  })

  test('a password is changed, other browsers are signed out, and the account is deleted', async () => {
    const person = await signUp(server)
    const { context, page } = await openAs(person, '/account/security')
    await page.getByLabel('Current password').fill(person.password)
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await press(page, 'Change password')
    await page.getByText('Your password is changed').waitFor()
    expect((await person.fetch('/api/v1/private/me')).status).toBe(401)

    await page.getByRole('link', { name: 'Data', exact: true }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download your data' }).click(),
    ])
    expect(await Bun.file(await download.path()).json()).toMatchObject({ account: { email: person.email } })

    await page.getByLabel('Password to confirm').fill(NEW_PASSWORD)
    await press(page, 'Delete account')
    await page.getByText('Your account was deleted.').waitFor()
    await page.goto('/account')
    expect(addressOf(page)).toBe('/sign-in?next=%2Faccount')
    await context.close()
  })

  test('the library is filtered, sorted and leads to the download', async () => {
    const [owner, player] = [await signUp(server), await signUp(server)]
    const [calm, grim] = [
      await insertPublicGame(server, owner, { name: 'Calm Harbour' }),
      await insertPublicGame(server, owner, { name: 'Grim Harbour' }),
    ]
    await release(server, calm.uid, { version: '1.4.2' })
    for (const game of [calm, grim]) await insertLicense(server, game.uid, player)
    await setPlayMinutes(server, grim.uid, player, 90)
    const { context, page } = await openAs(player, '/library?sort=name')
    const names = () => page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
    expect(await names()).toEqual(['Calm Harbour', 'Grim Harbour'])
    await page.getByLabel('Sort by').selectOption('Most played')
    await press(page, 'Apply')
    expect(await names()).toEqual(['Grim Harbour', 'Calm Harbour'])
    await page.getByText('1.5 hours played').waitFor()
    await page.getByLabel('Filter by name').fill('CALM')
    await press(page, 'Apply')
    expect(await names()).toEqual(['Calm Harbour'])
    const href = await page.getByRole('link', { name: 'Download Calm Harbour' }).getAttribute('href')
    expect(href).toStartWith(`/games/${calm.vanityName}/files/`)
    await page.getByText('More about Calm Harbour').click()
    await page.getByRole('button', { name: 'Take out of library' }).waitFor()
    await page.getByLabel('Filter by name').fill('no such name')
    await press(page, 'Apply')
    await page.getByRole('heading', { name: 'Nothing fits' }).waitFor()
    await context.close()
  })

  test('a form that comes from elsewhere is refused', async () => {
    const person = await signUp(server)
    const body = new URLSearchParams({ username: 'stolen' })
    for (const origin of ['https://evil.example', 'null']) {
      const foreign = asPerson(server, person)
      const answer = await foreign.fetch('/account/profile', { method: 'POST', body, headers: { origin } })
      expect(answer.status).toBe(403)
    }
  })
})
