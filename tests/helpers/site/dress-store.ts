import { join } from 'node:path'

import type { Browser } from 'playwright-core'

import { STORE_IMAGES, type StoreImageName } from '../../../src/domain/store-settings.ts'
import type { OperatorCollection } from '../../../src/features/operate/collections/model.ts'
import { readData } from '../json.ts'
import type { Person } from '../people.ts'
import { STEP_MS } from './browser.ts'

const FOLDER = join(import.meta.dir, '../../../src/demo/stores')
const COLLECTIONS = '/api/v1/operator/collections'

/** Stores that look different, as `playshelf settings import` reads them. */
export const LOOKS = ['studio', 'jam', 'museum'] as const
export type Look = (typeof LOOKS)[number]

/** Images are not part of the settings; those without one show the default. */
const IMAGES: Readonly<Record<Look, Partial<Record<StoreImageName, string>>>> = {
  studio: { logo: 'studio-logo.svg', logo_dark: 'studio-logo-dark.svg', icon: 'studio-icon.svg' },
  jam: { icon: 'jam-icon.svg' },
  museum: { logo: 'museum-logo.svg', logo_dark: 'museum-logo-dark.svg' },
}

interface Row {
  title: string
  text: string
  games: string[]
}

/** The listings are those of the demo. */
export const SHOWN: Readonly<Record<Look, readonly Row[]>> = {
  studio: [
    {
      title: 'For one evening',
      text: 'Start after dinner, finish before the ferry leaves.',
      games: ['winter-letters', 'fjord-sketches', 'salt-line', 'the-last-ferry'],
    },
  ],
  jam: [
    {
      title: 'Winners of 2025',
      text: 'Chosen by everybody who handed something in.',
      games: ['potato-opera', 'duck-parade', 'snail-mail-express', 'crumb-quest'],
    },
    {
      title: 'First games',
      text: 'Nobody in these teams had finished a game before.',
      games: ['moth-hour', 'word-beetle', 'one-more-stone', 'three-button-knight'],
    },
  ],
  museum: [
    {
      title: 'Room 1: Sea and shore',
      text: 'Four ways to look at water, 2019 to 2026.',
      games: ['lighthouse-keepers-union', 'undertow', 'the-last-ferry', 'cold-harbour'],
    },
    {
      title: 'Room 2: Gardens',
      text: 'Growing things, in orbit and elsewhere.',
      games: ['orbit-gardener', 'paper-orchard', 'neon-allotment', 'glasshouse'],
    },
  ],
}

export function settingsFileOf(look: Look): string {
  return join(FOLDER, `${look}.json`)
}

/** Makes the store look like this one: images and collections, after its settings were imported. */
export async function dressStore(operator: Person, browser: Browser, look: Look): Promise<void> {
  for (const name of STORE_IMAGES) await setImage(operator, browser, name, IMAGES[look][name])
  const { items } = await readData<{ items: OperatorCollection[] }>(await operator.fetch(COLLECTIONS))
  for (const { uid } of items) await check(operator.json('DELETE', `${COLLECTIONS}/${uid}`))
  // The newest one is shown first.
  for (const row of SHOWN[look].toReversed())
    await check(operator.json('POST', COLLECTIONS, { ...row, on_home: true }))
}

async function setImage(
  operator: Person,
  browser: Browser,
  name: StoreImageName,
  file: string | undefined,
): Promise<void> {
  const path = `/api/v1/operator/settings/${name}`
  if (file === undefined) return await check(operator.fetch(path, { method: 'DELETE' }))
  const body = new FormData()
  body.append('file', await paint(browser, join(FOLDER, file)), 'image.png')
  await check(operator.fetch(path, { method: 'PUT', body }))
}

/** The drawing as a PNG of its own size. */
async function paint(browser: Browser, file: string): Promise<Blob> {
  const drawing = await Bun.file(file).text()
  const [width = 0, height = 0] = ['width', 'height'].map((name) =>
    Number(new RegExp(` ${name}="(\\d+)"`).exec(drawing)?.[1]),
  )
  const page = await browser.newPage({ viewport: { width, height } })
  page.setDefaultTimeout(STEP_MS)
  await page.setContent(`<body style="margin: 0">${drawing}</body>`)
  const png = await page.screenshot({ omitBackground: true })
  await page.close()
  return new Blob([new Uint8Array(png)], { type: 'image/png' })
}

async function check(answer: Promise<Response>): Promise<void> {
  const { status, url } = await answer
  if (status >= 300) throw new Error(`${url} answered ${status}`)
}
