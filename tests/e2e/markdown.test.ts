import { expect, test } from 'bun:test'

import { renderMarkdown } from '../../src/lib/text/markdown.ts'
import { MARKDOWN_ATTACKS } from '../helpers/hostile/markdown-attacks.ts'
import { STEP_MS } from '../helpers/site/browser.ts'
import { describeInBrowser, useBrowser } from '../helpers/site/use-browser.ts'

const ORIGIN = 'http://playshelf.test'

const CLICK_ALL_LINKS = `[...document.querySelectorAll('a')].map((link) => {
  link.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
  link.click()
  return link.protocol
})`
const FILL_IN = `(outputs) => {
  const main = document.querySelector('main')
  const inside = outputs.flatMap((output) => {
    main.innerHTML = output
    return [...main.querySelectorAll('*')].map((element) => element.localName)
  })
  return { inside, body: [...document.body.children].map((element) => element.localName) }
}`
/** Pictures have failed to load and clicks have been obeyed by then. */
const SETTLE = `new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))`

describeInBrowser('hostile Markdown in a real browser', () => {
  const opened = useBrowser()

  /** A page of ours without any policy that would help. Nothing leaves the machine, and 204 keeps the page open. */
  async function openPage(body: string) {
    const context = await opened.browser.newContext()
    context.setDefaultTimeout(STEP_MS)
    const page = await context.newPage()
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await page.route('**/*', (route) =>
      route.request().url() === `${ORIGIN}/`
        ? route.fulfill({ contentType: 'text/html; charset=utf-8', body })
        : route.fulfill({ status: 204 }),
    )
    await page.goto(`${ORIGIN}/`)
    const hit = () => page.evaluate<unknown>('window.__hit')
    return { page, dialogs, hit, close: () => context.close() }
  }

  test('the page would notice a script that runs', async () => {
    const { hit, close } = await openPage('<script>window.__hit=1</script>')
    expect(await hit()).toBe(1)
    await close()
  })

  test('written into the page, nothing runs, and no link does anything when clicked', async () => {
    const articles = MARKDOWN_ATTACKS.map((text) => `<article>${renderMarkdown(text)}</article>`)
    const { page, dialogs, hit, close } = await openPage(`<!doctype html>${articles.join('\n')}`)
    expect(await page.locator('article').count()).toBe(MARKDOWN_ATTACKS.length)
    const schemes = await page.evaluate<string[]>(CLICK_ALL_LINKS)
    await page.evaluate(SETTLE)
    expect(page.url()).toBe(`${ORIGIN}/`)
    expect(new Set(schemes)).toEqual(new Set(['https:', 'mailto:']))
    expect(await hit()).toBeUndefined()
    expect(dialogs).toEqual([])
    await close()
  })

  test('set as innerHTML, nothing runs and the page around it stays whole', async () => {
    const { page, dialogs, hit, close } = await openPage('<!doctype html><main></main><footer></footer>')
    const tags = await page.evaluate<{ inside: string[]; body: string[] }>(
      `(${FILL_IN})(${JSON.stringify(MARKDOWN_ATTACKS.map((text) => renderMarkdown(text)))})`,
    )
    await page.evaluate(SETTLE)
    expect(tags.body).toEqual(['main', 'footer'])
    expect(tags.inside).not.toContain('script')
    expect(await hit()).toBeUndefined()
    expect(dialogs).toEqual([])
    await close()
  })
})
