import { type Browser, chromium } from 'playwright-core'

import { createTempDir } from '../processes/child.ts'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const BROWSER_PACKAGES = ['chromium'] as const

export function findBrowser(): string | null {
  return PATHS.map((path) => Bun.which(path)).find((path) => path !== null) ?? null
}

export interface TestBrowser {
  browser: Browser
  close(): Promise<void>
}

export async function openBrowser(): Promise<TestBrowser> {
  const executablePath = findBrowser()
  if (!executablePath) throw new Error('No Chromium is installed')
  const home = await createTempDir('browser')
  const browser = await chromium.launch({
    executablePath,
    args: FLAGS,
    env: { ...process.env, HOME: home.path },
  })
  return {
    browser,
    async close() {
      await browser.close()
      await home.remove()
    },
  }
}
