import { afterAll, beforeAll, expect } from 'bun:test'

import type { Person } from '../helpers/people.ts'
import type { SaveCalls } from '../helpers/saves.ts'
import { type Tab, until, WALKERS } from '../helpers/site/tabs.ts'
import { walkInBrowsers } from '../helpers/site/walks.ts'
import { useWebSaves, type WebGame } from '../helpers/site/web-saves.ts'
import { waitFor } from '../helpers/wait.ts'

const store = useWebSaves()

interface Player {
  person: Person
  saves: SaveCalls
}

/** Another website, that can be shown in every frame and asks whatever is around it for a channel. */
const FOREIGN = `<!doctype html><title>Elsewhere</title><script>
  globalThis.got = []
  const hear = ({ data }) => got.push(data)
  addEventListener('message', hear)
  for (const aim of new Set([parent, top])) {
    if (aim === window) continue
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = hear
    aim.postMessage('playshelf', '*', [port2])
  }
</script>`
const FOREIGN_HEADERS = {
  'content-type': 'text/html',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
}
const foreign = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  routes: { '/around': new Response(FOREIGN, { headers: { 'content-type': 'text/html' } }) },
  fetch: () => new Response(FOREIGN, { headers: FOREIGN_HEADERS }),
})
const showFrame = (
  address: string,
) => `(document.body.append(Object.assign(document.createElement('iframe'), {
  src: '${address}', onload() { globalThis.isLoaded = true } })), true)`
const elsewhere = `http://127.0.0.1:${foreign.port}/`
afterAll(() => foreign.stop(true))

let game: WebGame
let second: WebGame
/** Each browser has its own player, and all of them one together. */
let own: Player
let shared: Player
const players: Player[] = []
beforeAll(async () => {
  ;[game, second] = [await store.publish(), await store.publish()]
  while (players.length < Object.keys(WALKERS).length) players.push(await store.newPlayer(game))
  shared = await store.newPlayer(game)
  await shared.person.json('PUT', `/api/v1/private/games/${game.uid}/saves`, { allowed: true })
})
/** What was saved last by the player of all browsers. */
let last: string | null = null
afterAll(() => expect(last).not.toBeNull())

async function start(tab: Tab, { address, origin }: WebGame): Promise<void> {
  await tab.open(address)
  await tab.click('[data-start]')
  await waitFor('the game runs', () => tab.readFrame<boolean>(origin, "'playshelf' in globalThis"))
}

/** Calls a function of saves in the game, and leaves its answer there. */
async function call(tab: Tab, { origin }: WebGame, expression: string): Promise<void> {
  const script = `(globalThis.said = undefined, playshelf.saves.${expression}.then(
    (value) => (value instanceof ArrayBuffer ? new TextDecoder().decode(value) : value),
    ({ message }) => message,
  ).then((value) => { globalThis.said = JSON.stringify(value) }), true)`
  await waitFor('the game is asked', () => tab.readFrame<boolean>(origin, script))
}

const said = async <Value>(tab: Tab, { origin }: WebGame): Promise<Value> =>
  JSON.parse(await waitFor('an answer', () => tab.readFrame<string>(origin, 'globalThis.said'))) as Value

async function ask<Value>(tab: Tab, of: WebGame, expression: string): Promise<Value> {
  await call(tab, of, expression)
  return await said<Value>(tab, of)
}

async function signIn(tab: Tab, { person: { email, password } }: Player): Promise<void> {
  await tab.open(`${store.server.url}/sign-in?next=/library`)
  await tab.fill('#email', email)
  await tab.fill('#password', password)
  await tab.click('main form .button')
  await until(tab, "location.pathname === '/library'")
}

async function signOut(tab: Tab): Promise<void> {
  await tab.open(`${store.server.url}/account`)
  await tab.read('void document.querySelector(\'form[action="/sign-out"]\').submit()')
  await until(tab, '!document.querySelector(\'form[action="/sign-out"]\')')
}

const choose = (tab: Tab, value: string) => tab.click(`.save-dialog button[value=${value}]`)

walkInBrowsers({
  'a guest plays, and saves in the browser': async (tab) => {
    await start(tab, game)
    expect(await ask<null>(tab, game, "read('main')")).toBeNull()
    expect(await ask<string>(tab, game, "write('main', 'level 2')")).toBe('browser')
  },
  'signs in': async (tab) => {
    const [player] = players.splice(0, 1)
    if (player) own = player
    await signIn(tab, own)
  },
  'allows the game to use the account, and takes the save over': async (tab) => {
    await start(tab, game)
    await call(tab, game, "read('main')")
    await choose(tab, 'yes')
    await choose(tab, 'take')
    expect(await said<string>(tab, game)).toBe('level 2')
    expect(await own.saves.text('main')).toBe('level 2')
    expect(await ask<string>(tab, game, "write('main', 'level 3')")).toBe('account')
  },
  'goes on where another device was': async (tab) => {
    const [main] = (await own.saves.list()).slots
    await own.saves.write('main', 'level 4', main?.revision ?? null)
    await start(tab, game)
    expect(await ask<string>(tab, game, "read('main')")).toBe('level 4')
    expect(await ask<string>(tab, game, "write('main', 'level 5')")).toBe('account')
    expect(await own.saves.text('main')).toBe('level 5')
  },
  'a window of another website gets nothing inside the game': async (tab) => {
    await start(tab, game)
    await waitFor('the frame', () => tab.readFrame<boolean>(game.origin, showFrame(elsewhere)))
    await waitFor('the other website', () => tab.readFrame<boolean>(elsewhere, 'Array.isArray(got)'))
    // Whoever answered the other would have done so before this.
    expect(await ask<string>(tab, game, "write('main', 'level 6')")).toBe('account')
    expect(await tab.readFrame<string>(elsewhere, 'JSON.stringify(got)')).toBe('[]')
  },
  'another website around the game shows and gets nothing of it': async (tab) => {
    const showAround = async (address: string, sign: string) => {
      await tab.open(`${elsewhere}around`)
      await tab.read(showFrame(address))
      await until(tab, 'globalThis.isLoaded')
      await tab.read("frames[0].postMessage('playshelf', '*')")
      return await tab.readFrame<boolean>(address, `document.querySelector('${sign}') !== null`)
    }
    expect(await showAround(`${elsewhere}within`, 'title')).toBe(true)
    for (const [address, sign] of [
      [game.address, '[data-start]'],
      [`${game.origin}/`, 'h1'],
    ] as const) {
      expect(await showAround(address, sign)).not.toBe(true)
      expect(await tab.read<string>('JSON.stringify(got)')).toBe('[]')
    }
  },
  'a second game gets nothing': async (tab) => {
    await start(tab, second)
    await call(tab, second, 'list()')
    await choose(tab, 'no')
    expect(await said<unknown[]>(tab, second)).toEqual([])
    expect(await ask<null>(tab, second, "read('main')")).toBeNull()
  },
  leaves: signOut,
  'a guest gets nothing of the account': async (tab) => {
    await start(tab, game)
    expect(await ask<unknown[]>(tab, game, 'list()')).toEqual([])
  },
  'somebody else signs in': async (tab) => await signIn(tab, shared),
  'and goes on where they were in another browser': async (tab) => {
    await start(tab, game)
    expect(await ask<string | null>(tab, game, "read('main')")).toBe(last)
    last = `level ${crypto.randomUUID()}`
    expect(await ask<string>(tab, game, `write('main', '${last}')`)).toBe('account')
    expect(await shared.saves.text('main')).toBe(last)
  },
})
