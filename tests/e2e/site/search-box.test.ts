import { beforeAll, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { reindex } from '../../../src/features/catalog/search/reindex.ts'
import { readData } from '../../helpers/json.ts'
import { insertGame, verifyEmail } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { findViolations, openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { useStore } from '../../helpers/store.ts'

const boxOf = (page: Page) => page.getByRole('combobox', { name: 'Search games' })
const listOf = (page: Page) => page.getByRole('listbox', { name: 'Suggestions' })
/** What the box says is active, by its text; null if it is the box itself. */
const ACTIVE = `document.getElementById(document.activeElement.getAttribute('aria-activedescendant') ?? '')?.textContent ?? null`
const COZY = 'Tone: cozy'

describeInBrowser('the search box, in a browser', () => {
  const opened = useBrowser()
  const server = useStore()
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
    await verifyEmail(server, owner)
    for (const name of ['Cozy Harbour', 'Cozy Orchard', 'Lamp Post']) {
      const vanityName = name.toLowerCase().replace(' ', '-')
      await insertGame(server, owner, { visibility: 'public', tone: ['cozy'], name, vanityName })
    }
    await reindex(server.deps)
  })

  test('suggests while one types: arrows, Enter and Escape, and says how many there are', async () => {
    const { page, context, problems } = await openWindow(opened.browser, server)
    await page.goto('/')
    expect(await boxOf(page).getAttribute('aria-expanded')).toBe('false')
    await boxOf(page).pressSequentially('coz')
    await listOf(page).waitFor()
    expect(await boxOf(page).getAttribute('aria-expanded')).toBe('true')
    expect(await boxOf(page).getAttribute('aria-controls')).toBe('suggestions')
    const options = listOf(page).getByRole('option')
    const count = await options.count()
    await page
      .getByRole('status')
      .filter({ hasText: `${count} suggestions` })
      .waitFor({ state: 'attached' })
    expect(await listOf(page).getByRole('group').first().getAttribute('aria-label')).toBe('Listings')
    expect(await findViolations(page)).toEqual([])

    // The focus stays in the box; after the last option comes the box again.
    expect(await page.evaluate(ACTIVE)).toBe(null)
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate(ACTIVE)).toContain('All results for “coz”')
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(ACTIVE)).toBe(null)
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(ACTIVE)).toContain('Cozy')
    expect(await options.first().getAttribute('aria-selected')).toBe('true')

    await page.keyboard.press('Escape')
    await listOf(page).waitFor({ state: 'hidden' })
    expect([await boxOf(page).inputValue(), await boxOf(page).getAttribute('aria-expanded')]).toEqual([
      'coz',
      'false',
    ])
    expect(await boxOf(page).getAttribute('aria-activedescendant')).toBe(null)
    await page.keyboard.press('ArrowDown')
    await listOf(page).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/games\/cozy-(harbour|orchard)$/)
    expect(problems).toEqual([])
    await context.close()
  })

  test('suggests filters and developers, which a click opens', async () => {
    const { page, context, problems } = await openWindow(opened.browser, server)
    await page.goto('/rules')
    await boxOf(page).fill('coz')
    await listOf(page)
      .getByRole('option', { name: /^cozy.*Tone/ })
      .click()
    await page.waitForURL(/\/search\?tone=cozy$/)
    const { username } = await readData<{ username: string }>(await owner.fetch('/api/v1/private/me'))
    await boxOf(page).fill(username.slice(0, -1))
    await listOf(page).getByRole('group', { name: 'Developers' }).getByRole('option').first().click()
    await page.waitForURL(`**/developers/${username}`)
    expect(problems).toEqual([])
    await context.close()
  })

  test('Enter alone searches for what was typed, also before or without suggestions', async () => {
    const { page, context, problems } = await openWindow(opened.browser, server)
    await page.route('**/suggestions?*', (route) => route.fulfill({ status: 503, body: '' }))
    await page.goto('/')
    await boxOf(page).fill('cozy orchard')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/search\?find=cozy\+orchard$/)
    expect(await page.getByRole('link', { name: 'Cozy Orchard', exact: true }).count()).toBe(1)
    expect(await boxOf(page).inputValue()).toBe('cozy orchard')
    expect(problems.filter((text) => !text.includes('503'))).toEqual([])
    await context.close()
  })

  test('without script the box is a plain search, and understood words are links', async () => {
    const { page, context } = await openWindow(opened.browser, server, null, { javaScriptEnabled: false })
    await page.goto('/')
    await page.getByRole('searchbox', { name: 'Search games' }).fill('cozy harbour')
    await page.keyboard.press('Enter')
    const understood = page.getByRole('list', { name: 'Understood words' })
    await understood.getByRole('link', { name: `Filter by ${COZY}` }).click()
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('find'), searchParams.get('tone')]).toEqual(['harbour', 'cozy'])
    expect(await page.getByRole('link', { name: 'Cozy Harbour', exact: true }).count()).toBe(1)
    await page.getByRole('link', { name: 'Remove cozy' }).waitFor()
    await page.goto('/search?q=harbour')
    expect(await page.getByRole('searchbox', { name: 'Search games' }).inputValue()).toBe('harbour')
    await context.close()
  })
})
