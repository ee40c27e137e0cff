import { join } from 'node:path'

import { type Browser, type BrowserContext, chromium } from 'playwright-core'

import { findBrowser, findHeadlessBrowser } from '../engines/chromium.ts'
import type { Person } from '../people.ts'
import { createTempDir } from '../processes/child.ts'
import { waitFor } from '../wait.ts'

export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Replaces Playwright's own list, which turns off the partitioning of storage in frames. */
const PARTITIONED = '--disable-features=MediaRouter'

/** Ends a step that hangs. On a busy machine a step can take most of a minute. */
export const STEP_MS = 2 * 60_000

export interface TestBrowser {
  browser: Browser
  close(): Promise<void>
}

export async function openBrowser(): Promise<TestBrowser> {
  const executablePath = findHeadlessBrowser()
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
      await removeHome(home)
    },
  }
}

/** A browser with an ordinary profile: only there are cookies and storage kept apart as for real visitors. */
export async function openProfile(
  baseURL: string,
): Promise<{ context: BrowserContext; close(): Promise<void> }> {
  const executablePath = findBrowser()
  if (!executablePath) throw new Error('No Chromium is installed')
  const home = await createTempDir('browser')
  const context = await chromium.launchPersistentContext(home.path, {
    executablePath,
    args: [...FLAGS, PARTITIONED],
    baseURL,
    reducedMotion: 'reduce',
    env: { ...process.env, HOME: home.path },
  })
  context.setDefaultTimeout(STEP_MS)
  return {
    context,
    async close() {
      await context.close()
      await removeHome(home)
    },
  }
}

export interface Killable {
  context: BrowserContext
  /** Everything that pages stored is then in the folder. */
  leave(): Promise<void>
  kill(): Promise<void>
}

/** The same with a profile that stays in this folder, in a browser that can be killed. */
export async function openKillable(path: string): Promise<Killable> {
  const executablePath = findBrowser()
  if (!executablePath) throw new Error('No Chromium is installed')
  const profile = join(path, 'profile')
  const portFile = Bun.file(join(profile, 'DevToolsActivePort'))
  await portFile.delete().catch(() => {})
  const flags = [...FLAGS, PARTITIONED, `--user-data-dir=${profile}`, '--remote-debugging-port=0']
  const child = Bun.spawn([executablePath, ...flags, 'about:blank'], {
    env: { ...process.env, HOME: path },
    stdio: ['ignore', 'ignore', 'ignore'],
    detached: true,
  })
  const port = await waitFor('the port of the browser', async () => {
    const text = await portFile.text().catch(() => '')
    return /^\d+/.exec(text)?.[0]
  })
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
  const [context] = browser.contexts()
  if (!context) throw new Error('The browser has no profile')
  context.setDefaultTimeout(STEP_MS)
  return {
    context,
    async leave() {
      const session = await browser.newBrowserCDPSession()
      await session.send('Browser.close')
      await child.exited
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      // With its helpers, as when the power fails.
      process.kill(-child.pid, 'SIGKILL')
      await child.exited
      await browser.close().catch(() => {})
    },
  }
}

/** The cookies of a person, for `addCookies`. */
export function cookiesOf({ cookie }: Person, url: string): { name: string; value: string; url: string }[] {
  return cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url }
  })
}

/** Helpers of the browser end a moment after it, and write until then. */
export async function removeHome({ remove }: Awaited<ReturnType<typeof createTempDir>>): Promise<void> {
  const isRemoved = () =>
    remove().then(
      () => true,
      () => false,
    )
  await waitFor('the folder of the browser is removed', isRemoved)
}
