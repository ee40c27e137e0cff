import { fileURLToPath } from 'node:url'

import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

import { type Person, randomAddress } from '../people.ts'
import type { TestServer } from '../server.ts'
import { cookiesOf, STEP_MS } from './browser.ts'

export interface SiteWindow {
  context: BrowserContext
  page: Page
  /** Console errors, CSP reports, failed scripts, dialogs and requests to other hosts. */
  problems: string[]
}

/** Opens a separate browser window, signed in if a person is given. Paths are those of the server. */
export async function openWindow(
  browser: Browser,
  server: Pick<TestServer, 'url'>,
  person: Person | null = null,
  options: BrowserContextOptions = {},
): Promise<SiteWindow> {
  const context = await browser.newContext({
    baseURL: server.url,
    extraHTTPHeaders: { 'x-forwarded-for': person?.address ?? randomAddress() },
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(STEP_MS)
  if (person) await context.addCookies(cookiesOf(person, server.url))
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    // A page with status 404 is itself reported as a failed resource.
    const isPage = message.location().url === page.url()
    if (message.type() === 'error' && !(isPage && message.text().startsWith('Failed to load resource')))
      problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('dialog', (dialog) => {
    problems.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:'))
      problems.push(`foreign request ${request.url()}`)
  })
  return { context, page, problems }
}

/**
 * Only these rules depend on the theme, so the others run once per width. Most of axe's time goes into them: the last
 * look has them only for what the first one did not show. 320 px are 1280 px at 400 % zoom.
 */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
interface View {
  width: number
  colorScheme: 'light' | 'dark'
  /** Null: all of them. */
  rules: readonly string[] | null
  /** Only what no look before has shown. */
  isNewOnly?: boolean
}
const VIEWS: readonly View[] = [
  { width: 1280, colorScheme: 'light', rules: null },
  { width: 1280, colorScheme: 'dark', rules: COLOUR_RULES },
  { width: 320, colorScheme: 'dark', rules: null },
  { width: 320, colorScheme: 'light', rules: COLOUR_RULES, isNewOnly: true },
]
/** A phone, a tablet and a desktop, each in both themes. */
export const DEVICE_VIEWS: readonly View[] = [390, 820, 1440].flatMap((width) => [
  { width, colorScheme: 'light', rules: null },
  { width, colorScheme: 'dark', rules: COLOUR_RULES },
])

/** Elements and classes whose colours were looked at before, in all views. */
export type KnownColours = Set<string>

/**
 * Lists what is wrong with the current page: axe's violations and sideways scrolling in every view, problems. Pages that
 * show nothing but known colours are not looked at for contrasts again.
 */
export async function inspectPage(
  { page, problems }: SiteWindow,
  views: readonly View[] = VIEWS,
  known: KnownColours = new Set(),
): Promise<string[]> {
  const faults: string[] = []
  // A click ends as soon as the next page begins to arrive.
  await page.waitForLoadState()
  const parts = await page.evaluate<string[]>(LIST_PARTS)
  const hasNewColours = parts.some((part) => !known.has(part))
  for (const { width, colorScheme, rules, isNewOnly = false } of views) {
    if (rules === COLOUR_RULES && !hasNewColours) continue
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const violations = await findViolations(page, { rules, isNewOnly, exceptColours: !hasNewColours })
    const found = [...violations, ...(await findOverflow(page))]
    faults.push(...found.map((fault) => `${width} px, ${colorScheme}: ${fault}`))
    if (hasNewColours && rules === null && colorScheme === 'light') await page.evaluate(REMEMBER_SHOWN)
  }
  for (const part of parts) known.add(part)
  return [...faults, ...problems.splice(0)]
}

/** Every element with its classes, since these decide its colours. */
const LIST_PARTS = `[...new Set([...document.querySelectorAll('body *')].flatMap(({ localName, classList }) =>
  [localName, ...[...classList].map((name) => localName + '.' + name)]))]`

/** The short form, which a page reads in half the time. */
const axeSource = await Bun.file(fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))).text()

/** The elements that are shown; an element that is shown later for the first time is new. */
const REMEMBER_SHOWN = `void (window.shownBefore = new Set([...document.querySelectorAll('body *')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }))))`
const FIND_NEW = `[...document.querySelectorAll('body *')].filter((element) =>
  !shownBefore.has(element) && element.checkVisibility({ visibilityProperty: true }) &&
  (shownBefore.has(element.parentElement) || element.parentElement === document.body))`

/** What axe says about the page as it is, or about its new elements; all rules unless some are named. */
export async function findViolations(
  page: Page,
  {
    rules = null,
    isNewOnly = false,
    exceptColours = false,
  }: { rules?: readonly string[] | null; isNewOnly?: boolean; exceptColours?: boolean } = {},
): Promise<string[]> {
  if (isNewOnly && (await page.evaluate<number>(`${FIND_NEW}.length`)) === 0) return []
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource)
  const options = {
    // Otherwise axe describes every element that passes, too, and parses the style sheets for rules that are off.
    resultTypes: ['violations'],
    preload: { assets: ['media'] },
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
    ...(exceptColours && {
      rules: Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }])),
    }),
  }
  const part = isNewOnly ? FIND_NEW : 'document'
  return await page.evaluate<string[]>(`axe.run(${part}, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary)))`)
}

/** Lists the elements that make the page scroll sideways. */
async function findOverflow(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > innerWidth)
      .map((element) => 'too wide: ' + element.localName + '.' + element.className + ' ' + element.textContent.slice(0, 40))`)
}
