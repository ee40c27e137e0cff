import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { BrowserContext, Route } from 'playwright-core'

import { createTempDir } from '../helpers/processes/child.ts'
import { type Killable, openKillable, removeHome } from '../helpers/site/browser.ts'
import { describeInBrowser } from '../helpers/site/use-browser.ts'
import { allow, play, press, read, useWebSaves, write } from '../helpers/site/web-saves.ts'

const OLD = 'o'.repeat(200_000)
const NEW = 'n'.repeat(200_000)
const FREEZE = '/freeze'

/** The game stops for good after the call of this method that `which` accepts, and the test hears of it. */
const freezeAfter = (method: string, which: string) => `{
  const [type, name] = ${JSON.stringify(method.split('.'))}
  const own = globalThis[type].prototype[name]
  globalThis[type].prototype[name] = function (...args) {
    const result = own.apply(this, args)
    if ((${which})(...args)) {
      const request = new XMLHttpRequest()
      request.open('GET', '${FREEZE}', false)
      request.send()
    }
    return result
  }
}`

interface Step {
  name: string
  /** Runs in the game before the write. */
  script?: string
  /** Returns whether the moment has come. */
  onPut?: (route: Route) => Promise<boolean>
  /** What there may be afterwards. */
  left: readonly string[]
}

const STEPS: readonly Step[] = [
  {
    name: 'its bytes are written to the disk',
    script: freezeAfter('IDBObjectStore.put', '({ waits }) => waits !== undefined'),
    left: [OLD],
  },
  { name: 'it is about to be sent', onPut: async () => true, left: [NEW] },
  {
    name: 'the store has it and answers',
    onPut: async (route) => {
      await route.fetch()
      return true
    },
    left: [NEW],
  },
  {
    name: 'the answer is written to the disk',
    script: freezeAfter('IDBObjectStore.put', '({ sent }) => sent !== undefined'),
    left: [NEW],
  },
]

describeInBrowser('a browser that is killed', () => {
  const store = useWebSaves()
  let home: Awaited<ReturnType<typeof createTempDir>>
  const opened: Killable[] = []
  beforeAll(async () => {
    home = await createTempDir('killed')
  })
  afterAll(async () => {
    await Promise.all(opened.map((browser) => browser.kill()))
    await removeHome(home)
  })

  async function open(): Promise<Killable> {
    const browser = await openKillable(home.path)
    opened.push(browser)
    return browser
  }

  /** Waits for the step; nothing goes on once it is reached. */
  async function watch(context: BrowserContext, { onPut }: Pick<Step, 'onPut'>) {
    const { promise, resolve } = Promise.withResolvers<void>()
    await context.route(`**${FREEZE}`, () => resolve())
    await context.route('**/api/v1/player/**', async (route) => {
      if (!onPut || route.request().method() !== 'PUT') await route.continue()
      else if (await onPut(route)) resolve()
    })
    return { reached: () => promise }
  }

  test.each([...STEPS])('while $name has the old or the new save, whole', async (step) => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    const first = await open()
    await store.signIn(first.context, person)
    const { frame } = await play(first.context, game)
    expect(await write(frame, 'main', OLD)).toBe('account')
    const { reached } = await watch(first.context, step)
    if (step.script !== undefined) await frame.evaluate(step.script)
    void write(frame, 'main', NEW).catch(() => {})
    await reached()
    await first.kill()
    expect([OLD, NEW]).toContain(await saves.text('main'))

    const second = await open()
    await store.signIn(second.context, person)
    const again = await play(second.context, game)
    const found = (await read(again.frame, 'main')) ?? ''
    expect(step.left).toContain(found)
    expect(await write(again.frame, 'main', 'goes on')).toBe('account')
    expect(await again.page.locator('dialog').count()).toBe(0)
    await second.kill()
    const { items } = await saves.history('main')
    const texts = await Promise.all(items.map(({ revision }) => saves.text('main', revision)))
    expect(texts[0]).toBe('goes on')
    expect(new Set(texts)).toEqual(new Set(['goes on', found, OLD]))
  })

  test('while it takes a save over does so at the next start', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    // Browsers write what a page stores to the disk some seconds later, or when they are closed.
    const earlier = await open()
    await store.signIn(earlier.context, null)
    const guest = await play(earlier.context, game)
    for (const slot of ['a', 'b']) await write(guest.frame, slot, `${slot} of a guest`)
    await earlier.leave()

    const first = await open()
    await store.signIn(first.context, person)
    const { page, frame } = await play(first.context, game)
    const { reached } = await watch(first.context, {})
    await frame.evaluate(freezeAfter('Storage.removeItem', "(key) => key.startsWith('playshelf.save.')"))
    void read(frame, 'a').catch(() => {})
    await press(page, 'Take over')
    await reached()
    await first.kill()

    const second = await open()
    await store.signIn(second.context, person)
    const again = await play(second.context, game)
    const answer = read(again.frame, 'b')
    await press(again.page, 'Take over')
    expect(await answer).toBe('b of a guest')
    expect(await again.page.locator('dialog').count()).toBe(0)
    await second.kill()
    expect(await Promise.all(['a', 'b'].map((slot) => saves.text(slot)))).toEqual([
      'a of a guest',
      'b of a guest',
    ])
  })
})
