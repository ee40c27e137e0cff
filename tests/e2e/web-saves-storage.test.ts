import { expect, test } from 'bun:test'

import type { Frame } from 'playwright-core'

import { describeInBrowser } from '../helpers/site/use-browser.ts'
import { allow, play, press, read, useWebSaves, write } from '../helpers/site/web-saves.ts'
import { waitFor } from '../helpers/wait.ts'

const UNKEPT = 'this browser does not keep them'
/** What browsers do that keep nothing for a game, or nothing more. */
const BROWSERS: Record<string, string> = {
  'forbids IndexedDB':
    "IDBFactory.prototype.open = () => { throw new DOMException('Blocked', 'SecurityError') }",
  'has no IndexedDB': "Object.defineProperty(globalThis, 'indexedDB', { value: undefined })",
  'cannot open IndexedDB': `IDBFactory.prototype.open = () => {
    const request = { error: new DOMException('Private', 'InvalidStateError') }
    queueMicrotask(() => request.onerror())
    return request
  }`,
  'is full': `IDBObjectStore.prototype.put = () => { throw new DOMException('Full', 'QuotaExceededError') }`,
  'loses its disk meanwhile': `{
    const { transaction } = IDBDatabase.prototype
    let left = 6
    IDBDatabase.prototype.transaction = function (...args) {
      if (left-- > 0) return transaction.apply(this, args)
      throw new DOMException('Closed', 'InvalidStateError')
    }
  }`,
}

/** The code of the error that a write is answered with. */
const writeRefused = (frame: Frame, slot: string, text: string) =>
  frame.evaluate<unknown>(
    `playshelf.saves.write(${JSON.stringify(slot)}, ${JSON.stringify(text)}).catch(({ code, name }) => (name === 'Error' ? code : name))`,
  )

describeInBrowser('a browser that keeps nothing for a game', () => {
  const store = useWebSaves()

  test.each(Object.entries(BROWSERS))(
    'as it %s: writes go to the account, and what cannot be sent is told and not lost while the page is open',
    async (_, script) => {
      const game = await store.publish()
      const { person, saves } = await store.newPlayer(game)
      await allow(person, game)
      await store.withBrowser(async (context) => {
        await context.addInitScript(`if (location.hostname !== 'localhost') ${script}`)
        await store.signIn(context, person)
        const { page, frame } = await play(context, game)
        expect(await write(frame, 'main', 'one')).toBe('account')
        expect(await write(frame, 'main', 'two')).toBe('account')
        await context.route('**/api/v1/player/**', (route) => route.abort())
        for (const text of ['three', 'four']) expect(await writeRefused(frame, 'main', text)).toBe(5031)
        expect(await writeRefused(frame, 'other', 'a')).toBe(5031)
        expect(await read(frame, 'main')).toBe('four')
        const said = page.getByText(UNKEPT)
        expect(await said.isVisible()).toBe(true)
        await context.unroute('**/api/v1/player/**')
        await frame.evaluate("void dispatchEvent(new Event('online'))")
        await waitFor('the note is gone', async () => !(await said.isVisible()))
        expect(await write(frame, 'main', 'five')).toBe('account')
        expect(await page.locator('dialog').count()).toBe(0)
      })
      const { items } = await saves.history('main')
      expect(await Promise.all(items.map(({ revision }) => saves.text('main', revision)))).toEqual([
        'five',
        'four',
        'three',
        'two',
        'one',
      ])
      expect(items.map(({ refused }) => refused)).not.toContain(true)
      expect(await saves.text('other')).toBe('a')
    },
  )

  test('takes nothing over that it could not send: it is offered again', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await store.withBrowser(async (context) => {
      await context.addInitScript(`if (location.hostname !== 'localhost') ${BROWSERS['forbids IndexedDB']}`)
      const guest = await play(context, game)
      expect(await write(guest.frame, 'main', 'of a guest')).toBe('browser')
      await guest.page.close()

      await store.signIn(context, person)
      for (const isAway of [true, false]) {
        if (isAway) await context.route('**/api/v1/player/**', (route) => route.abort())
        const { page, frame } = await play(context, game)
        const answer = read(frame, 'main')
        await press(page, 'Take over')
        expect(await answer).toBe('of a guest')
        await page.close()
        await context.unroute('**/api/v1/player/**')
      }
    })
    expect(await saves.text('main')).toBe('of a guest')
  })

  test('tells a guest so', async () => {
    const game = await store.publish()
    await store.withBrowser(async (context) => {
      await context.addInitScript(`if (location.hostname !== 'localhost') {
        const get = () => { throw new DOMException('Blocked', 'SecurityError') }
        Object.defineProperty(globalThis, 'localStorage', { get })
        ${BROWSERS['forbids IndexedDB']}
      }`)
      const { frame } = await play(context, game)
      expect(await writeRefused(frame, 'main', 'lost?')).toBe('SecurityError')
    })
  })
})
