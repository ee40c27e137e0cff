import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { BrowserContext, Frame, Page } from 'playwright-core'

import type { ZipPart } from '../helpers/files/zips.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { releaseWeb } from '../helpers/play.ts'
import { findKeptPort } from '../helpers/processes/kept-port.ts'
import { callSaves, createSaveKey, newSaveGame, type SaveCalls } from '../helpers/saves.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { cookiesOf, openProfile } from '../helpers/site/browser.ts'
import { describeInBrowser } from '../helpers/site/use-browser.ts'
import { waitFor } from '../helpers/wait.ts'

const GAME: ZipPart[] = [
  {
    name: 'index.html',
    data: '<!doctype html><title>A game</title><script src="/.playshelf/sdk.js"></script><h1>A game</h1>',
  },
]
const ALLOW = 'Let this game keep its saves in your account'

describeInBrowser('saves of a web game', () => {
  let server: TestServer
  let owner: Person
  beforeAll(async () => {
    const port = findKeptPort()
    const env = { PORT: String(port), BASE_URL: `http://localhost:${port}`, TRUST_PROXY: '1' }
    server = { ...(await startTestServer(env)), url: env.BASE_URL }
    owner = await signUp(server)
  })
  afterAll(async () => await server.stop())

  async function publish(values: Parameters<typeof newSaveGame>[2] = {}) {
    const game = await newSaveGame(server, owner, values)
    await releaseWeb(server, game.uid, GAME)
    return { ...game, origin: `http://${game.uid}.localhost:${server.port}` }
  }
  type Published = Awaited<ReturnType<typeof publish>>

  /** A browser of its own. */
  async function withBrowser(use: (context: BrowserContext) => Promise<void>): Promise<void> {
    const profile = await openProfile(server.url)
    try {
      await use(profile.context)
    } finally {
      await profile.close()
    }
  }

  async function play(context: BrowserContext, game: Published): Promise<{ page: Page; frame: Frame }> {
    const page = await context.newPage()
    await page.goto(`/games/${game.vanityName}/play`)
    await page.getByRole('button', { name: 'Start' }).click()
    return { page, frame: await frameOf(page, game) }
  }

  async function frameOf(page: Page, { origin }: Published, before?: Frame): Promise<Frame> {
    const frame = await waitFor('the frame', () =>
      page.frames().find((one) => one !== before && one.url() === `${origin}/`),
    )
    await frame.waitForFunction("'playshelf' in globalThis")
    return frame
  }

  const write = (frame: Frame, slot: string, text: string) =>
    frame.evaluate<string>(`playshelf.saves.write(${JSON.stringify(slot)}, ${JSON.stringify(text)})`)
  const read = (frame: Frame, slot: string) =>
    frame.evaluate<string | null>(
      `playshelf.saves.read(${JSON.stringify(slot)}).then((bytes) => bytes && new TextDecoder().decode(bytes))`,
    )
  const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

  async function newPlayer(game: Published): Promise<{ person: Person; saves: SaveCalls }> {
    const person = await signUp(server)
    return { person, saves: callSaves(server, game.uid, await createSaveKey(person)) }
  }

  const allow = (person: Person, game: Published) =>
    person.json('PUT', `/api/v1/private/games/${game.uid}/saves`, { allowed: true })

  test('follow the player from a guest to their account, and into another browser', async () => {
    const game = await publish()
    const { person, saves } = await newPlayer(game)
    await withBrowser(async (context) => {
      const guest = await play(context, game)
      expect(await read(guest.frame, 'main')).toBeNull()
      expect(await write(guest.frame, 'main', 'level 2')).toBe('browser')
      expect(await read(guest.frame, 'main')).toBe('level 2')
      expect(await guest.frame.evaluate('playshelf.player')).toBeNull()
      await guest.page.close()

      await context.addCookies(cookiesOf(person, server.url))
      const { page, frame } = await play(context, game)
      const first = read(frame, 'main')
      await press(page, ALLOW)
      await press(page, 'Take over')
      expect(await first).toBe('level 2')
      expect(await saves.text('main')).toBe('level 2')
      expect(await write(frame, 'main', 'level 3')).toBe('account')
      expect(await frame.evaluate('playshelf.player.name')).toBeString()
      expect(await frame.evaluate('localStorage.getItem("playshelf.save.main")')).toBeNull()
    })
    expect(await saves.text('main')).toBe('level 3')
    await withBrowser(async (context) => {
      await context.addCookies(cookiesOf(person, server.url))
      const { frame } = await play(context, game)
      expect(await read(frame, 'main')).toBe('level 3')
      expect(await frame.evaluate('playshelf.saves.list()')).toMatchObject([{ slot: 'main', size: 7 }])
      expect(await write(frame, 'main', 'level 4')).toBe('account')
    })
    expect(await saves.text('main')).toBe('level 4')
  })

  test('two devices: the player chooses', async () => {
    const game = await publish()
    const { person, saves } = await newPlayer(game)
    await allow(person, game)
    await withBrowser(async (context) => {
      await context.addCookies(cookiesOf(person, server.url))
      const { page, frame } = await play(context, game)
      await write(frame, 'main', 'one')
      const { slots } = await saves.list()
      const elsewhere = await saves.write('main', 'elsewhere', slots[0]?.revision ?? null)
      const kept = write(frame, 'main', 'here')
      await press(page, 'Keep both')
      expect(await kept).toBe('account')
      expect(await saves.text('main')).toBe('here')
      expect(await saves.text('main (2)')).toBe('elsewhere')
      const after = (await saves.list()).slots.find(({ slot }) => slot === 'main')
      await saves.write('main', 'elsewhere again', after?.revision ?? null)
      void write(frame, 'main', 'here again').catch(() => {})
      await press(page, 'Use this From your account')
      const next = await frameOf(page, game, frame)
      expect(await read(next, 'main')).toBe('elsewhere again')
      expect(elsewhere.revision).toBeString()
      await write(next, 'main', 'goes on')
      expect(await saves.text('main')).toBe('goes on')
    })
  })
})
