import { afterAll, beforeAll } from 'bun:test'

import type { BrowserContext, Frame, Page } from 'playwright-core'

import type { ZipPart } from '../files/zips.ts'
import type { GameRow } from '../listings.ts'
import { type Person, signUp } from '../people.ts'
import { releaseWeb } from '../play.ts'
import { findKeptPort } from '../processes/child.ts'
import { callSaves, createSaveKey, newSaveGame, type SaveCalls } from '../saves.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { waitFor } from '../wait.ts'
import { cookiesOf, openProfile } from './browser.ts'

const GAME: ZipPart[] = [
  {
    name: 'index.html',
    data: '<!doctype html><title>A game</title><script src="/.playshelf/sdk.js"></script><h1>A game</h1>',
  },
]
export const ALLOW = 'Let this game keep its saves in your account'

/** A web game that keeps saves. */
export interface WebGame extends GameRow {
  /** The play page. */
  address: string
  origin: string
}

export interface WebSaves {
  server: TestServer
  publish(values?: Parameters<typeof newSaveGame>[2]): Promise<WebGame>
  newPlayer(game: WebGame): Promise<{ person: Person; saves: SaveCalls }>
  /** A browser of its own, with an ordinary profile. */
  withBrowser(use: (context: BrowserContext) => Promise<void>): Promise<void>
  /** Nobody is signed in afterwards but this person. */
  signIn(context: BrowserContext, person: Person | null): Promise<void>
}

/** A store whose play origins a browser can open, with games that keep saves. */
export function useWebSaves(more: Record<string, string> = {}): WebSaves {
  const store = {} as WebSaves
  beforeAll(async () => {
    const port = findKeptPort()
    const env = { PORT: String(port), BASE_URL: `http://localhost:${port}`, TRUST_PROXY: '1', ...more }
    const server = { ...(await startTestServer(env)), url: env.BASE_URL }
    const owner = await signUp(server)
    Object.assign(store, {
      server,
      async publish(values) {
        const game = await newSaveGame(server, owner, values)
        await releaseWeb(server, game.uid, GAME)
        const address = `${server.url}/games/${game.vanityName}/play`
        return { ...game, address, origin: `http://${game.uid}.localhost:${server.port}` }
      },
      async newPlayer(game) {
        const person = await signUp(server)
        return { person, saves: callSaves(server, game.uid, await createSaveKey(person)) }
      },
      async withBrowser(use) {
        const profile = await openProfile(server.url)
        try {
          await use(profile.context)
        } finally {
          await profile.close()
        }
      },
      async signIn(context, person) {
        await context.clearCookies()
        if (person) await context.addCookies(cookiesOf(person, server.url))
      },
    } satisfies WebSaves)
  })
  afterAll(async () => await store.server?.stop())
  return store
}

export const allow = (person: Person, { uid }: WebGame) =>
  person.json('PUT', `/api/v1/private/games/${uid}/saves`, { allowed: true })

export interface Played {
  page: Page
  frame: Frame
}

export async function play(context: BrowserContext, game: WebGame): Promise<Played> {
  const page = await context.newPage()
  await page.goto(game.address)
  await press(page, 'Start')
  return { page, frame: await frameOf(page, game) }
}

export async function frameOf(page: Page, { origin }: WebGame, before?: Frame): Promise<Frame> {
  const frame = await waitFor('the frame', () =>
    page.frames().find((one) => one !== before && one.url() === `${origin}/`),
  )
  await frame.waitForFunction("'playshelf' in globalThis")
  return frame
}

/** Resolves to where the save is. */
export const write = (frame: Frame, slot: string, text: string) =>
  frame.evaluate<string>(`playshelf.saves.write(${JSON.stringify(slot)}, ${JSON.stringify(text)})`)

export const read = (frame: Frame, slot: string) =>
  frame.evaluate<string | null>(
    `playshelf.saves.read(${JSON.stringify(slot)}).then((bytes) => bytes && new TextDecoder().decode(bytes))`,
  )

/** What the game knows of its player and of their saves. */
export const knows = (frame: Frame) =>
  frame.evaluate<{ slots: string[]; player: { name: string } | null }>(
    'playshelf.saves.list().then((list) => ({ slots: list.map(({ slot }) => slot).sort(), player: playshelf.player }))',
  )

export const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
