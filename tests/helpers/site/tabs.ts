import { chromium } from 'playwright-core'
import { launch } from 'puppeteer-core'

import { findHeadlessBrowser } from '../engines/chromium.ts'
import { findFirefox } from '../engines/firefox.ts'
import { findWebKit } from '../engines/webkit.ts'
import { createTempDir } from '../processes/child.ts'
import { waitFor } from '../wait.ts'
import { FLAGS, removeHome, STEP_MS } from './browser.ts'
import { openWebKit } from './webkit-tabs.ts'

/** What walks need of a tab, in every browser. */
export interface Tab {
  open(url: string): Promise<void>
  fill(selector: string, text: string): Promise<void>
  /** Chooses a file of this machine. */
  choose(selector: string, path: string): Promise<void>
  click(selector: string): Promise<void>
  /** The value of an expression in the page; undefined while the page is changing. */
  read<Value>(expression: string): Promise<Value | undefined>
  /** The same in a frame, by the start of its address. */
  readFrame<Value>(address: string, expression: string): Promise<Value | undefined>
}

export interface Walker {
  openTab(): Promise<Tab>
  close(): Promise<void>
}

/** null where the browser is not installed. */
export const WALKERS = {
  Chromium: findHeadlessBrowser() === null ? null : openChromium,
  Firefox: findFirefox() === null ? null : openFirefox,
  WebKit: findWebKit() === null ? null : openWebKit,
} as const satisfies Record<string, (() => Promise<Walker>) | null>

interface Frame {
  url(): string
  evaluate(expression: string): Promise<unknown>
}

interface Page extends Frame {
  frames(): Frame[]
}

const orUndefined = () => undefined

/** The parts of a tab that both drivers have in common. */
function readersOf(page: Page): Pick<Tab, 'read' | 'readFrame'> {
  const read = <Value>(frame: Frame | undefined, expression: string) =>
    frame?.evaluate(expression).catch(orUndefined) as Promise<Value | undefined>
  return {
    read: (expression) => read(page, expression),
    readFrame: async (address, expression) =>
      await read(
        page.frames().find((frame) => frame.url().startsWith(address)),
        expression,
      ),
  }
}

async function openChromium(): Promise<Walker> {
  const executablePath = findHeadlessBrowser()
  if (executablePath === null) throw new Error('No Chromium is installed')
  const home = await createTempDir('browser')
  const env = { ...process.env, HOME: home.path }
  const browser = await chromium.launch({ executablePath, args: FLAGS, env })
  const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' })
  context.setDefaultTimeout(STEP_MS)
  return {
    async openTab() {
      const page = await context.newPage()
      return {
        open: async (url) => void (await page.goto(url)),
        fill: (selector, text) => page.fill(selector, text),
        choose: (selector, path) => page.setInputFiles(selector, path),
        click: (selector) => page.click(selector),
        ...readersOf(page),
      }
    },
    async close() {
      await browser.close()
      await removeHome(home)
    },
  }
}

/** The types of pages are not known here. */
interface FileInput {
  uploadFile(path: string): Promise<void>
}

const VIEWPORT = { width: 1000, height: 700 }

async function openFirefox(): Promise<Walker> {
  const executablePath = findFirefox()
  if (executablePath === null) throw new Error('No Firefox is installed')
  const home = await createTempDir('firefox')
  const browser = await launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    env: { ...process.env, HOME: home.path },
    defaultViewport: VIEWPORT,
    protocolTimeout: STEP_MS,
    timeout: STEP_MS,
  })
  return {
    async openTab() {
      const page = await browser.newPage()
      page.setDefaultTimeout(STEP_MS)
      return {
        open: async (url) => void (await page.goto(url)),
        fill: (selector, text) => page.locator(selector).fill(text),
        async choose(selector, path) {
          const found: unknown = await page.waitForSelector(selector)
          await (found as FileInput).uploadFile(path)
        },
        click: (selector) => page.locator(selector).click(),
        ...readersOf(page),
      }
    },
    async close() {
      await browser.close()
      await removeHome(home)
    },
  }
}

/** Waits for a condition of the page, an expression. */
export async function until(tab: Tab, expression: string): Promise<void> {
  await waitFor(expression, async () => (await tab.read<boolean>(`Boolean(${expression})`)) === true)
}
