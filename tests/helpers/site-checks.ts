import type { Browser, BrowserContext, Page } from 'playwright-core'

const AXE = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text()

interface Violation {
  id: string
  nodes: { html: string }[]
}

/** Lists axe's violations in the current page, each with its first element. */
export async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((found) => found.violations)`,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}

/** Returns how many pixels the page scrolls sideways. */
export async function measureOverflow(page: Page): Promise<number> {
  return await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}

export interface WatchedPage {
  page: Page
  context: BrowserContext
  /** Console errors, CSP reports, failed scripts and requests to other hosts. */
  problems: string[]
}

export interface PageOptions {
  width?: number
  theme?: 'light' | 'dark'
  script?: boolean
}

export async function openPage(
  browser: Browser,
  origin: string,
  { width = 1280, theme = 'light', script = true }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    javaScriptEnabled: script,
    baseURL: origin,
  })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    // A page with status 404 is itself reported as a failed resource.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) problems.push(request.url())
  })
  return { page, context, problems }
}

export const VARIANTS = [
  { width: 320, theme: 'light' },
  { width: 1280, theme: 'dark' },
  { width: 1280, theme: 'light' },
  { width: 320, theme: 'dark' },
] as const
