import { beforeAll, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { reindex } from '../../../src/features/catalog/search/reindex.ts'
import { insertGame, verifyEmail } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { findViolations, openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { useStore } from '../../helpers/store.ts'

/** The tag; there is a content warning of that name too. */
const excludeHorror = (page: Page) =>
  page.getByRole('group', { name: 'Tags' }).getByRole('checkbox', { name: 'Exclude horror' })

describeInBrowser('home and search, in a browser', () => {
  const opened = useBrowser()
  const server = useStore()
  beforeAll(async () => {
    const owner = await signUp(server)
    await verifyEmail(server, owner)
    for (let count = 0; count < 30; count += 1) {
      const tags = count % 3 === 0 ? ['cozy', 'stars', 'horror'] : ['cozy', 'stars', 'sea']
      await insertGame(server, owner, { visibility: 'public', tags: [...tags, `word-${count}`] })
    }
    await reindex(server.deps)
  })

  test('without script, a form finds and excludes', async () => {
    const { page, context } = await openWindow(opened.browser, server, null, { javaScriptEnabled: false })
    await page.goto('/')
    await page.getByRole('searchbox', { name: 'Search games' }).fill('lighthouse')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Browse', level: 1 }).waitFor()
    await excludeHorror(page).check()
    await page.getByRole('button', { name: 'Apply filters' }).click()
    await page.getByRole('link', { name: 'Remove not horror' }).waitFor()
    expect(new URL(page.url()).searchParams.get('exclude_tags')).toBe('horror')
    expect(await page.getByRole('status').first().textContent()).toContain('20 games and more')
    await context.close()
  })

  test('with script, results change in place: focus stays, and back leads back', async () => {
    const { page, context, problems } = await openWindow(opened.browser, server)
    await page.goto('/search')
    await page.evaluate('window.__samePage = true')
    await excludeHorror(page).check()
    await page.getByRole('link', { name: 'Remove not horror' }).waitFor()
    expect(await page.evaluate('window.__samePage')).toBe(true)
    expect(new URL(page.url()).search).toBe('?exclude_tags=horror')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Exclude horror')
    await page.goBack()
    await page.getByRole('link', { name: 'Remove not horror' }).waitFor({ state: 'detached' })
    expect(await excludeHorror(page).isChecked()).toBe(false)
    await page.goForward()
    // Its link is gone then: the focus goes to what it changed.
    await page.getByRole('link', { name: 'Remove not horror' }).press('Enter')
    await page.getByRole('link', { name: 'Remove not horror' }).waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.id')).toBe('results')
    expect(problems).toEqual([])
    await context.close()
  })

  test('without a line, filters say so, and are applied when it is back', async () => {
    const { page, context } = await openWindow(opened.browser, server)
    await page.goto('/search')
    await page.evaluate('window.__samePage = true')
    const before = await page.locator('#count').textContent()
    await context.setOffline(true)
    await excludeHorror(page).check()
    const lost = page.getByRole('status').filter({ hasText: 'You are offline' })
    await lost.waitFor()
    await lost.getByRole('button', { name: 'Try again' }).waitFor()
    // What is shown still belongs together: results, their count and the address.
    expect(await page.locator('#count').textContent()).toBe(before ?? '')
    expect(new URL(page.url()).search).toBe('')
    await context.setOffline(false)
    await page.getByRole('link', { name: 'Remove not horror' }).waitFor()
    await lost.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?exclude_tags=horror')
    expect(await page.evaluate('window.__samePage')).toBe(true)
    // A store that is away, not the line, comes back too.
    await page.route(/\/search/, (route) => route.abort('connectionrefused'))
    await excludeHorror(page).uncheck()
    await page.getByRole('status').filter({ hasText: 'cannot be reached' }).waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Remove not horror' }).waitFor({ state: 'detached' })
    await context.close()
  })

  test('what was ticked while the store failed stays ticked, also when the page is loaded again', async () => {
    const { page, context } = await openWindow(opened.browser, server)
    await page.goto('/search')
    await page.route(/\/search\?/, (route) => route.fulfill({ status: 503, body: 'starting' }))
    await excludeHorror(page).check()
    await page.getByRole('status').filter({ hasText: 'cannot be reached' }).waitFor()
    expect([await excludeHorror(page).isChecked(), new URL(page.url()).search]).toEqual([true, ''])
    await page.unrouteAll()
    await page.reload()
    await page.getByRole('link', { name: 'Remove not horror' }).waitFor()
    expect(await excludeHorror(page).isChecked()).toBe(true)
    // Once it is applied, nothing comes back any more.
    await page.goto('/search')
    await page.waitForLoadState('networkidle')
    expect(new URL(page.url()).search).toBe('')
    await context.close()
  })

  test.each([
    { script: 'with script', javaScriptEnabled: true, applied: 'Show 20 results' },
    { script: 'without script', javaScriptEnabled: false, applied: 'Show results' },
  ])('on a phone, filters are a sheet: $script', async ({ javaScriptEnabled, applied }) => {
    const { page, context, problems } = await openWindow(opened.browser, server, null, {
      javaScriptEnabled,
      viewport: { width: 390, height: 844 },
    })
    await page.goto('/search')
    const sheet = page.getByRole('form', { name: 'Filters' })
    expect(await sheet.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Filters', exact: true }).focus()
    await page.keyboard.press('Enter')
    await sheet.waitFor()
    // The browser closes it by itself, and leads back to the button.
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await sheet.waitFor()
    await excludeHorror(page).check()
    const show = page.getByRole('button', { name: applied })
    await show.waitFor()
    const box = await show.boundingBox()
    expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThanOrEqual(844)
    // All groups stand below each other.
    const isSideways =
      'document.querySelector(".groups").scrollWidth > document.querySelector(".groups").clientWidth'
    expect(await page.evaluate(isSideways)).toBe(false)
    if (javaScriptEnabled) expect(await findViolations(page)).toEqual([])
    await show.click()
    await sheet.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Remove not horror' }).waitFor()
    expect(new URL(page.url()).searchParams.get('exclude_tags')).toBe('horror')
    expect(await page.getByRole('button', { name: 'Filters (1)' }).isVisible()).toBe(true)
    expect(await page.locator('#count').textContent()).toContain('20 games')
    expect(problems).toEqual([])
    await context.close()
  })

  test('the box of a long group narrows all its values, and stays filled when one is chosen', async () => {
    const { page, context, problems } = await openWindow(opened.browser, server)
    await page.goto('/search')
    const tags = page.getByRole('group', { name: 'Tags' })
    await tags.getByText('Show more').click()
    const box = tags.getByRole('searchbox', { name: 'Find in Tags' })
    await box.fill('HORR')
    const names = () => tags.locator('.include').filter({ visible: true }).allTextContents()
    expect(await names()).toEqual(['horror'])
    await excludeHorror(page).check()
    await page.getByRole('link', { name: 'Remove not horror' }).waitFor()
    expect(await box.inputValue()).toBe('HORR')
    expect(await names()).toEqual(['horror'])
    await box.fill('')
    expect(await names()).toContain('cozy')
    expect(problems).toEqual([])
    await context.close()
  })

  test('the theme is remembered without a flash', async () => {
    const { page, context } = await openWindow(opened.browser, server, null, { javaScriptEnabled: false })
    await page.goto('/search')
    await page.getByRole('button', { name: 'Dark theme' }).click()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    expect(new URL(page.url()).pathname).toBe('/search')
    await context.close()
  })

  test('the slash key leads to the search box', async () => {
    const { page, context } = await openWindow(opened.browser, server)
    await page.goto('/search')
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Search games')
    await context.close()
  })
})
