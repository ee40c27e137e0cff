import { waitForPort } from '../engines/ports.ts'
import { openScreen } from '../engines/screen.ts'
import { findWebKit } from '../engines/webkit.ts'
import { createTempDir, findKeptPort } from '../processes/child.ts'
import { waitFor } from '../wait.ts'
import { removeHome, STEP_MS } from './browser.ts'
import type { Tab, Walker } from './tabs.ts'

/** The member of an answer that holds the reference of an element, as the WebDriver standard has it. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
type Reference = Record<typeof ELEMENT, string>

type Send = <Value>(method: 'POST' | 'DELETE', path: string, body?: object) => Promise<Value>

const orUndefined = () => undefined
const [WIDTH, HEIGHT] = [1000, 800]

/** The browser of WebKit's library by its driver, over plain WebDriver. One window is walked at a time. */
export async function openWebKit(): Promise<Walker> {
  const found = findWebKit()
  if (found === null) throw new Error('No WebKit is installed')
  const home = await createTempDir('webkit')
  const screen = await openScreen(WIDTH, HEIGHT, home.path)
  const port = findKeptPort()
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home.path,
    XDG_RUNTIME_DIR: home.path,
    LANG: 'C.UTF-8',
    DISPLAY: screen.DISPLAY,
    // Neither the graphics card nor the sandbox of a desktop is there.
    LIBGL_ALWAYS_SOFTWARE: '1',
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  }
  const driver = Bun.spawn([found.driver, `--port=${port}`], { env, stdout: 'ignore', stderr: 'ignore' })
  await waitForPort(port)
  const send = createSender(`http://127.0.0.1:${port}`)
  const options = { binary: found.browser, args: ['--automation'] }
  const { sessionId } = await send<{ sessionId: string }>('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  })
  const ask: Send = (method, path, body) => send(method, `/session/${sessionId}${path}`, body)
  return {
    async openTab() {
      // A tab would be hidden behind the first one.
      const { handle } = await ask<{ handle: string }>('POST', '/window/new', { type: 'window' })
      await ask('POST', '/window', { handle })
      return toTab(ask)
    },
    async close() {
      await ask('DELETE', '').catch(orUndefined)
      driver.kill('SIGKILL')
      await driver.exited
      await screen.close()
      await removeHome(home)
    },
  }
}

function isOutOfReach(error: unknown): false {
  if (error instanceof Error && error.message.includes('element not interactable')) return false
  throw error
}

function createSender(url: string): Send {
  return async <Value>(method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(STEP_MS),
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    })
    const { value } = (await response.json()) as { value: Value & { error?: string; message?: string } }
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`)
    return value as Value
  }
}

function toTab(ask: Send): Tab {
  const find = async (selector: string) => {
    const wanted = { using: 'css selector', value: selector }
    const found = await waitFor(selector, () => ask<Reference>('POST', '/element', wanted).catch(orUndefined))
    return `/element/${found[ELEMENT]}`
  }
  const type = async (selector: string, text: string) =>
    await ask('POST', `${await find(selector)}/value`, { text })
  /**
   * Tries again while the element cannot be reached: it may move while its page is being laid out. The driver itself scrolls no
   * further than to the edge of the window, where a click can miss, and not to what the browser has not yet laid out.
   */
  const act = async (selector: string, what: 'clear' | 'click') => {
    const script = 'document.querySelector(arguments[0])?.scrollIntoView({ block: "center" })'
    await waitFor(`${what} ${selector}`, async () => {
      await ask('POST', '/execute/sync', { script, args: [selector] })
      return await ask('POST', `${await find(selector)}/${what}`).then(() => true, isOutOfReach)
    })
  }
  const read = async <Value>(expression: string) =>
    (await ask<Value | null>('POST', '/execute/sync', { script: `return (${expression})`, args: [] }).catch(
      orUndefined,
    )) ?? undefined

  /** Looks through the frames of the current one; the first that begins so answers. */
  async function readInFrames<Value>(address: string, expression: string): Promise<Value | undefined> {
    const wanted = { using: 'css selector', value: 'iframe' }
    for (const frame of await ask<Reference[]>('POST', '/elements', wanted)) {
      await ask('POST', '/frame', { id: frame })
      if ((await read<string>('location.href'))?.startsWith(address)) return await read<Value>(expression)
      const value = await readInFrames<Value>(address, expression)
      if (value !== undefined) return value
      await ask('POST', '/frame/parent')
    }
    return undefined
  }

  return {
    open: async (url) => void (await ask('POST', '/url', { url })),
    fill: async (selector, text) => {
      await act(selector, 'clear')
      await type(selector, text)
    },
    choose: async (selector, path) => void (await type(selector, path)),
    click: async (selector) => await act(selector, 'click'),
    read,
    readFrame: async (address, expression) => {
      const value = await readInFrames(address, expression).catch(orUndefined)
      await ask('POST', '/frame', { id: null }).catch(orUndefined)
      return value as never
    },
  }
}
