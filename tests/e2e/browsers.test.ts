import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type GameRow, insertLicense, insertPublicGame, verifyEmail } from '../helpers/listings.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { releaseWeb } from '../helpers/play.ts'
import { findKeptPort } from '../helpers/processes/kept-port.ts'
import { indexNow } from '../helpers/search/search.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { type Tab, until, type Walker, WALKERS } from '../helpers/site/tabs.ts'
import { waitFor } from '../helpers/wait.ts'

/** The message has the focus, and people see it. */
const SEEN = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect()
  return document.activeElement.matches('.said') && top >= 0 && bottom <= innerHeight
})()`
const focused = (tab: Tab) => tab.read<string>('document.activeElement.textContent')

let server: TestServer
/** The same program, whose address is `localhost`. */
let named: TestServer
let game: GameRow
let player: Person
beforeAll(async () => {
  const port = findKeptPort()
  ;[server, named] = await Promise.all([
    startTestServer(),
    startTestServer({ PORT: String(port), BASE_URL: `http://localhost:${port}` }),
  ])
  const owner = await signUp(server)
  game = await insertPublicGame(server, owner)
  await indexNow(server, game.uid)
  await releaseWeb(server, game.uid)
  player = await signUp(server)
  await verifyEmail(server, player)
  await insertLicense(server, game.uid, player)
})
afterAll(async () => {
  await named.stop()
  await server.stop()
})

async function signIn(tab: Tab, password: string): Promise<void> {
  await tab.fill('#email', player.email)
  await tab.fill('#password', password)
  await tab.click('main form .button')
}

/** Every walk starts in a tab of its own; the browser keeps its cookies. */
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
  'a game in the browser': async (tab) => {
    await tab.open(`http://localhost:${server.port}/games/${game.vanityName}/play`)
    await until(tab, `location.origin === '${server.url}'`)
    await tab.click('[data-start]')
    const origin = `http://${game.uid}.localhost:${server.port}/`
    const readTitle = () => tab.readFrame<string>(origin, 'document.title')
    expect(await waitFor('the game runs', readTitle)).toBe('A game')
  },
}

describe.each(Object.entries(WALKERS))('in %s', (name, open) => {
  const isMissing = open === null
  if (isMissing && process.env.REQUIRE_ENGINES === '1') throw new Error(`${name} is required and not there`)

  let walker: Walker
  beforeAll(async () => {
    if (open !== null) walker = await open()
  })
  afterAll(() => walker?.close())

  test.skipIf(isMissing).each(Object.entries(WALKS))('%s', async (_, walk) => {
    await walk(await walker.openTab())
  })
})
