import { join } from 'node:path'

import { asPerson, readCookies } from '../../tests/helpers/people.ts'
import { createTempDir, startChild } from '../../tests/helpers/processes/child.ts'
import { openBrowser } from '../../tests/helpers/site/browser.ts'
import { dressStore, type Look, LOOKS, settingsFileOf } from '../../tests/helpers/site/dress-store.ts'
import { waitFor } from '../../tests/helpers/wait.ts'

/**
 * Makes the pictures of the README from the demo, and those of `your-store.md` from the demo and the settings in
 * `src/demo/stores`.
 */
const ROOT = join(import.meta.dir, '../..')
const MAIN = join(ROOT, 'src/main.ts')
const WINDOW = { width: 1280, height: 900 }
const SHOWN_WIDTH = 960
const QUALITY = 78
const THEMES: Readonly<Record<Look, Theme>> = { studio: 'light', jam: 'dark', museum: 'light' }
const README: readonly Picture[] = [
  { name: 'home', path: '/', theme: 'light' },
  { name: 'store', path: '/games/static-bloom', theme: 'dark' },
  { name: 'search', path: '/search?find=cosy+without+horror', theme: 'light' },
]

type Theme = 'light' | 'dark'

interface Picture {
  name: string
  path: string
  theme: Theme
}

const dir = await createTempDir('pictures')
const env = { DATA_DIR: join(dir.path, 'data'), LOG_LEVEL: 'info' }
const server = await startChild({ command: ['bun', MAIN, 'up'], env })
const opened = await openBrowser()
try {
  await waitFor('the demo data is loaded', () => server.output().includes('Stop it with Ctrl-C'), 600_000)
  const hasShelves = async () => (await (await fetch(server.url)).text()).includes('Popular')
  await waitFor('the shelves are filled', hasShelves, 120_000)
  for (const picture of README) await takePicture(picture)
  const operator = await signIn()
  for (const look of LOOKS) {
    await importSettings(settingsFileOf(look))
    await dressStore(operator, opened.browser, look)
    await takePicture({ name: `store-${look}`, path: '/', theme: THEMES[look] })
  }
} finally {
  await opened.close()
  server.kill('SIGTERM')
  await server.exited
  await dir.remove()
}

async function signIn() {
  const { url } = server
  const reachable = { url, fetch: (path: string, init?: RequestInit) => fetch(url + path, init) }
  const facts = { email: 'operator@demo.example', password: 'playshelf-demo' }
  const answer = await reachable.fetch('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(facts),
  })
  if (!answer.ok) throw new Error(`The sign-in answered ${answer.status}`)
  return asPerson(reachable, {
    ...facts,
    uid: '',
    name: '',
    address: '127.0.0.1',
    cookie: readCookies(answer),
  })
}

async function importSettings(file: string): Promise<void> {
  const child = Bun.spawn(['bun', MAIN, 'settings', 'import', file, '--yes'], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error(`${file} was not imported`)
}

async function takePicture({ name, path, theme }: Picture): Promise<void> {
  const page = await opened.browser.newPage({ viewport: WINDOW, colorScheme: theme, baseURL: server.url })
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  const png = await page.screenshot()
  await page.close()
  const height = Math.round((WINDOW.height / WINDOW.width) * SHOWN_WIDTH)
  const webp = await new Bun.Image(png).resize(SHOWN_WIDTH, height).webp({ quality: QUALITY }).bytes()
  const file = `infra/docs/images/${name}.webp`
  await Bun.write(join(ROOT, file), webp)
  console.log(`${file}: ${Math.ceil(webp.length / 1024)} KB`)
}
