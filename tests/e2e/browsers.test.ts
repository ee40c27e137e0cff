import { afterAll, beforeAll, expect } from 'bun:test'
import { join } from 'node:path'

import { makeZip } from '../helpers/files/zips.ts'
import { type GameRow, insertGame, insertLicense, insertPublicGame } from '../helpers/listings.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { releaseWeb } from '../helpers/play.ts'
import { createTempDir, findKeptPort } from '../helpers/processes/child.ts'
import { release } from '../helpers/releases.ts'
import { indexNow } from '../helpers/search/search.ts'
import {
  insertForSale,
  type Shop,
  signUpBuyer,
  signUpSeller,
  startQuietShop,
} from '../helpers/selling/selling.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { type Tab, until, WALKERS } from '../helpers/site/tabs.ts'
import { walkInBrowsers } from '../helpers/site/walks.ts'
import { waitFor } from '../helpers/wait.ts'

/** The message has the focus, and people see it. Browsers scroll by whole pixels, and lines end between them. */
const SEEN = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect()
  return document.activeElement.matches('.said') && top > -1 && bottom < innerHeight + 1
})()`
const focused = (tab: Tab) => tab.read<string>('document.activeElement.textContent')

/** The size of the stored part of a build, of which nothing shrinks. */
const BUILD_BYTES = 5_000_000

let shop: Shop
let server: TestServer
/** The same program, whose address is `localhost`. */
let named: TestServer
let game: GameRow
/** One for each browser: nothing is bought twice. */
const sold: GameRow[] = []
let project: GameRow
let player: Person
let folder: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  const port = findKeptPort()
  ;[shop, named] = await Promise.all([
    startQuietShop(),
    startTestServer({ PORT: String(port), BASE_URL: `http://localhost:${port}` }),
  ])
  server = shop.server
  const owner = await signUp(server)
  game = await insertPublicGame(server, owner)
  await indexNow(server, game.uid)
  await releaseWeb(server, game.uid)
  player = await signUpBuyer(shop)
  await insertLicense(server, game.uid, player)
  const seller = await signUpSeller(shop)
  while (sold.length < Object.keys(WALKERS).length) {
    const offered = await insertForSale(shop, seller)
    await release(server, offered.uid, { version: '1.0.0' })
    sold.push(offered)
  }
  project = await insertGame(server, player)
  folder = await createTempDir('browsers')
  const data = crypto.getRandomValues(new Uint8Array(65_536))
  const parts = Array.from({ length: Math.ceil(BUILD_BYTES / data.length) }, (_, at) => ({
    name: `part-${at}.bin`,
    data,
    method: 0,
  }))
  await Bun.write(join(folder.path, 'lamp.zip'), makeZip(parts))
})
afterAll(async () => {
  await folder.remove()
  await named.stop()
  await shop.stop()
})

/** Each has a version of its own. */
let uploads = 0

async function signIn(tab: Tab, password: string): Promise<void> {
  await tab.fill('#email', player.email)
  await tab.fill('#password', password)
  await tab.click('main form .button')
}

const WALKS: Readonly<Record<string, (tab: Tab) => Promise<void>>> = {
  'localhost leads to 127.0.0.1': async (tab) => {
    await tab.open(`http://localhost:${server.port}/sign-in?next=/library`)
    expect(await tab.read<string>('location.href')).toBe(`${server.url}/sign-in?next=/library`)
  },
  '127.0.0.1 leads to localhost': async (tab) => {
    await tab.open(`http://127.0.0.1:${named.port}/search`)
    expect(await tab.read<string>('location.href')).toBe(`http://localhost:${named.port}/search`)
  },
  'somebody signs up': async (tab) => {
    await tab.open(`http://localhost:${server.port}/sign-up`)
    await tab.fill('#name', 'Ada')
    await tab.fill('#email', `ada-${crypto.randomUUID()}@example.org`)
    await tab.fill('#password', 'a lamp in the window')
    await tab.click('main form .button')
    await until(tab, `location.pathname === '/account' && ${SEEN}`)
    expect(await focused(tab)).toContain('Welcome')
    await tab.read('void document.querySelector(\'form[action="/sign-out"]\').submit()')
    await until(tab, '!document.querySelector(\'form[action="/sign-out"]\')')
  },
  'a wrong password, then the right one': async (tab) => {
    await tab.open(`http://localhost:${server.port}/sign-in?next=/library`)
    await signIn(tab, 'a wrong password')
    await until(tab, SEEN)
    await signIn(tab, player.password)
    await until(tab, "location.pathname === '/library'")
  },
  'a review without stars': async (tab) => {
    await tab.open(`${server.url}/games/${game.vanityName}`)
    await tab.fill('#review-text', 'Good.')
    await tab.click('form[action$="/review"] .button')
    await until(tab, SEEN)
    const form = 'document.activeElement.closest("form")?.getAttribute("action")'
    expect(await tab.read<string>(form)).toBe(`/games/${game.vanityName}/review`)
    expect(await tab.read<string>("document.querySelector('#review-text').value")).toBe('Good.')
    // The browser's address is now that of the form.
    await tab.read('void (location.href = location.pathname)')
    await until(tab, `location.pathname === '/games/${game.vanityName}'`)
  },
  'settings far down the account': async (tab) => {
    await tab.open(`${server.url}/account/data`)
    await tab.fill('#delete-password', 'a wrong password')
    await tab.click('form[action="/account/delete"] .button')
    await until(tab, `${SEEN} && document.activeElement.closest('#delete')`)
    await tab.open(`${server.url}/account/profile`)
    await tab.fill('#profile-username', `walker-${crypto.randomUUID().slice(0, 8)}`)
    await tab.click('form[action="/account/profile"] .button')
    await until(tab, `${SEEN} && document.activeElement.id === 'profile'`)
    expect(await focused(tab)).toContain('Your profile is saved.')
  },
  'a suggestion of the search box': async (tab) => {
    await tab.open(`${server.url}/`)
    await tab.fill('.finder input', game.name)
    await until(tab, "document.querySelector('.finder [role=option]')")
    expect(await tab.read<string>('document.activeElement.role')).toBe('combobox')
    await tab.click('.finder [role=option]')
    await until(tab, `location.pathname === '/games/${game.vanityName}'`)
  },
  'a filter beside the results': async (tab) => {
    await tab.open(`${server.url}/search?find=lighthouse`)
    await tab.click('label:has(#genres-puzzle)')
    await until(tab, "new URLSearchParams(location.search).get('genres') === 'puzzle'")
    await until(tab, 'document.querySelector(".chips.active a[href]")')
    expect(await tab.read<boolean>("document.querySelector('#genres-puzzle').checked")).toBe(true)
    expect(await tab.read<string>("document.querySelector('#count').textContent")).toContain('game')
  },
  'a game is bought': async (tab) => {
    const offered = sold.pop()
    await tab.open(`${server.url}/games/${offered?.vanityName}`)
    await tab.click('.box-lead form .button')
    await until(tab, `location.origin === '${shop.stripe.origin}'`)
    await tab.click('form[action$="/pay"] button')
    await until(tab, `location.origin === '${server.url}' && document.body.textContent.includes('Paid')`)
    await tab.open(`${server.url}/library`)
    await until(tab, `document.querySelector('main').textContent.includes('${offered?.name}')`)
  },
  'a build is uploaded': async (tab) => {
    await tab.open(`${server.url}/studio/${project.vanityName}/builds`)
    await until(tab, "document.querySelector('[data-upload]').inert === false")
    uploads += 1
    await tab.fill('#build-version', `1.0.${uploads}`)
    await tab.choose('#build-file', join(folder.path, 'lamp.zip'))
    await tab.click('[data-upload] form > .button')
    await until(tab, "document.querySelector('[data-done]').textContent.includes('lamp.zip is uploaded')")
  },
  'a game in the browser': async (tab) => {
    await tab.open(`http://localhost:${server.port}/games/${game.vanityName}/play`)
    await until(tab, `location.origin === '${server.url}'`)
    await tab.click('[data-start]')
    const origin = `http://${game.uid}.localhost:${server.port}/`
    const readTitle = () => tab.readFrame<string>(origin, 'document.title')
    expect(await waitFor('the game runs', readTitle)).toBe('A game')
  },
}

walkInBrowsers(WALKS)
