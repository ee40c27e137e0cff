import { afterAll, beforeAll, describe } from 'bun:test'

import { findBrowser } from '../engines/chromium.ts'
import { openBrowser, type TestBrowser } from './browser.ts'

/** A suite that needs Chromium: skipped where it is not installed, but not where all engines are required. */
export function describeInBrowser(title: string, suite: () => void): void {
  const isInstalled = findBrowser() !== null
  if (!isInstalled && process.env.REQUIRE_ENGINES === '1')
    throw new Error('Chromium is required and not there')
  describe.skipIf(!isInstalled)(title, suite)
}

/** The browser of a suite: opened before its tests, closed after them. */
export function useBrowser(): TestBrowser {
  const opened = {} as TestBrowser
  beforeAll(async () => {
    Object.assign(opened, await openBrowser())
  })
  afterAll(async () => await opened.close?.())
  return opened
}
