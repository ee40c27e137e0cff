import { beforeAll, expect, test } from 'bun:test'

import { insertLicense, insertPublicGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { useStore } from '../../helpers/store.ts'

describeInBrowser('the library in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  let player: Person
  beforeAll(async () => {
    const owner = await signUp(server)
    player = await signUp(server)
    for (const name of ['Calm Harbour', 'Grim Harbour'])
      await insertLicense(server, (await insertPublicGame(server, owner, { name })).uid, player)
  })

  test('is filtered while one types, with the focus in the field and the address in step', async () => {
    const { context, page } = await openWindow(opened.browser, server, player)
    await page.goto('/library?view=list')
    await page.evaluate('window.__samePage = true')
    const box = page.getByLabel('Filter by name')
    await box.pressSequentially('calm')
    await page.getByRole('heading', { name: 'Grim Harbour' }).waitFor({ state: 'detached' })
    await page.waitForURL('**/library?view=list&q=calm')
    expect(await page.getByRole('status').first().textContent()).toBe('1 title')
    expect(await page.evaluate('document.activeElement.id')).toBe('library-q')
    await box.fill('')
    await page.getByRole('heading', { name: 'Grim Harbour' }).waitFor()
    expect(await page.evaluate('window.__samePage')).toBe(true)
    await context.close()
  })

  test('without a line, it keeps what was typed and says so, and applies it when the store answers', async () => {
    const { context, page, problems } = await openWindow(opened.browser, server, player)
    await page.goto('/library')
    await page.evaluate('window.__samePage = true')
    const box = page.getByLabel('Filter by name')
    const grim = page.getByRole('heading', { name: 'Grim Harbour' })
    await context.setOffline(true)
    await box.pressSequentially('calm')
    const offline = page.getByRole('status').filter({ hasText: 'You are offline' })
    await offline.waitFor()
    expect([await box.inputValue(), new URL(page.url()).search]).toEqual(['calm', ''])
    expect(await grim.isVisible()).toBe(true)
    await context.setOffline(false)
    await grim.waitFor({ state: 'detached' })
    await offline.waitFor({ state: 'detached' })
    await page.waitForURL('**/library?q=calm')
    expect(await page.evaluate('window.__samePage')).toBe(true)
    for (const [status, words] of [
      [429, 'You filter faster than this store allows.'],
      [503, 'The store cannot be reached.'],
    ] as const) {
      await page.route(/\/library/, (route) => route.fulfill({ status, body: 'no' }))
      await box.fill(`grim${status}`)
      await page.getByRole('status').filter({ hasText: words }).waitFor()
      expect(await page.getByRole('heading', { name: 'Calm Harbour' }).isVisible()).toBe(true)
      await box.press('Enter')
      expect(await page.evaluate('window.__samePage')).toBe(true)
      await page.unrouteAll()
      await box.fill('calm')
      await page.getByText(words).waitFor({ state: 'detached' })
    }
    expect(problems.filter((problem) => !problem.startsWith('Failed to load resource'))).toEqual([])
    await context.close()
  })

  test('what was typed while the store failed is applied when the page is loaded again', async () => {
    const { context, page } = await openWindow(opened.browser, server, player)
    await page.goto('/library')
    await page.route(/\/library\?/, (route) => route.fulfill({ status: 503, body: 'starting' }))
    await page.getByLabel('Filter by name').fill('grim')
    await page.getByRole('status').filter({ hasText: 'cannot be reached' }).waitFor()
    await page.unrouteAll()
    await page.reload()
    await page.getByRole('heading', { name: 'Calm Harbour' }).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Filter by name').inputValue()).toBe('grim')
    await context.close()
  })

  test('More opens by keyboard, and Escape gives the focus back', async () => {
    const { context, page } = await openWindow(opened.browser, server, player)
    await page.goto('/library?sort=name')
    const more = page.locator('.more-acts > summary').first()
    await more.focus()
    await page.keyboard.press('Enter')
    const takeOut = page.getByRole('button', { name: 'Take out of library' })
    await takeOut.waitFor()
    await page.keyboard.press('Escape')
    await takeOut.waitFor({ state: 'hidden' })
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('More about Calm Harbour')
    await context.close()
  })
})
