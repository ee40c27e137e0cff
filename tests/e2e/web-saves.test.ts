import { expect, test } from 'bun:test'

import { describeInBrowser } from '../helpers/site/use-browser.ts'
import { ALLOW, allow, frameOf, play, press, read, useWebSaves, write } from '../helpers/site/web-saves.ts'
import { waitFor } from '../helpers/wait.ts'

const QUOTA = 3_000_000
/** Nothing is written to the browser's database for two seconds. */
const KEEP_DISK_BUSY = `(async () => {
  const [{ name }] = await indexedDB.databases()
  const opening = indexedDB.open(name)
  await new Promise((opened) => { opening.onsuccess = opened })
  const store = opening.result.transaction('saves', 'readwrite').objectStore('saves')
  const end = performance.now() + 2000
  const ask = () => { store.count().onsuccess = () => { if (performance.now() < end) ask() } }
  ask()
})()`

describeInBrowser('saves of a web game', () => {
  const store = useWebSaves({ SAVES_PER_GAME: String(QUOTA) })

  test('follow the player from a guest to their account, and into another browser', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await store.withBrowser(async (context) => {
      const guest = await play(context, game)
      expect(await read(guest.frame, 'main')).toBeNull()
      expect(await write(guest.frame, 'main', 'level 2')).toBe('browser')
      expect(await read(guest.frame, 'main')).toBe('level 2')
      expect(await guest.frame.evaluate('playshelf.player')).toBeNull()
      await guest.page.close()

      await store.signIn(context, person)
      const { page, frame } = await play(context, game)
      const first = read(frame, 'main')
      expect(await page.locator('[data-saves-place=browser]').isVisible()).toBe(true)
      await press(page, ALLOW)
      await press(page, 'Take over')
      expect(await first).toBe('level 2')
      expect(await page.locator('[data-saves-place=account]').isVisible()).toBe(true)
      expect(await saves.text('main')).toBe('level 2')
      expect(await write(frame, 'main', 'level 3')).toBe('account')
      expect(await frame.evaluate('playshelf.player.name')).toBeString()
      expect(await frame.evaluate('localStorage.getItem("playshelf.save.main")')).toBeNull()
    })
    expect(await saves.text('main')).toBe('level 3')
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const { frame } = await play(context, game)
      expect(await read(frame, 'main')).toBe('level 3')
      expect(await frame.evaluate('playshelf.saves.list()')).toMatchObject([{ slot: 'main', size: 7 }])
      expect(await write(frame, 'main', 'level 4')).toBe('account')
    })
    expect(await saves.text('main')).toBe('level 4')
  })

  test('two devices: the player chooses', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const { page, frame } = await play(context, game)
      await write(frame, 'main', 'one')
      const { slots } = await saves.list()
      await saves.write('main', 'elsewhere', slots[0]?.revision ?? null)
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
      await write(next, 'main', 'goes on')
      expect(await saves.text('main')).toBe('goes on')
      const history = await saves.history('main')
      const texts = history.items.map(({ revision }) => saves.text('main', revision))
      expect(await Promise.all(texts)).toEqual([
        'goes on',
        'here again',
        'elsewhere again',
        'here',
        'here',
        'elsewhere',
        'one',
      ])
    })
  })

  test('the game starts again once the chosen version is kept, however slow the disk is', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const { page, frame } = await play(context, game)
      expect(await write(frame, 'main', 'one')).toBe('account')
      const { slots } = await saves.list()
      await saves.write('main', 'elsewhere', slots[0]?.revision ?? null)
      void write(frame, 'main', 'here').catch(() => {})
      await page.getByRole('dialog').waitFor()
      await frame.evaluate<void>(KEEP_DISK_BUSY)
      await press(page, 'Use this From your account')
      const next = await frameOf(page, game, frame)
      expect(await read(next, 'main')).toBe('elsewhere')
      expect(await page.getByRole('dialog').count()).toBe(0)
    })
    const { items } = await saves.history('main')
    expect(items.map(({ refused }) => refused)).toEqual([true, false, false])
  })

  test('the game decides instead of the dialog, and may make one save out of two', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const { page, frame } = await play(context, game)
      await write(frame, 'main', 'one')
      const [before] = (await saves.list()).slots
      await saves.write('main', 'two', before?.revision ?? null)
      await frame.evaluate(`void playshelf.saves.on('conflict', async ({ slot, mine, theirs }) => {
        const text = ({ bytes }) => new TextDecoder().decode(bytes)
        return new TextEncoder().encode([slot, text(mine), text(theirs), mine.device, theirs.play_minutes].join())
      })`)
      expect(await write(frame, 'main', 'three')).toBe('account')
      expect(await saves.text('main')).toMatch(/^main,three,two,Chrome.*,0$/)
      expect(await page.locator('dialog').count()).toBe(0)
    })
  })

  test('what waits is sent in order when the store is back, also after a reload', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const first = await play(context, game)
      expect(await write(first.frame, 'main', 'one')).toBe('account')
      await context.route('**/api/v1/player/**', (route) => route.abort())
      for (const text of ['two', 'three']) expect(await write(first.frame, 'main', text)).toBe('waiting')
      expect(await write(first.frame, 'other', 'a')).toBe('waiting')
      expect(await read(first.frame, 'main')).toBe('three')
      const said = first.page.getByText('as soon as the store can be reached')
      expect(await said.isVisible()).toBe(true)
      await first.page.close()

      const second = await play(context, game)
      expect(await read(second.frame, 'main')).toBe('three')
      expect(await write(second.frame, 'main', 'four')).toBe('waiting')
      expect(await saves.text('main')).toBe('one')
      await context.unroute('**/api/v1/player/**')
      await second.frame.evaluate("void dispatchEvent(new Event('online'))")
      expect(await write(second.frame, 'main', 'five')).toBe('account')
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
  })

  test('a store that is away for an hour is asked now and then, and gets everything by itself', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      await context.clock.install()
      const { page, frame } = await play(context, game)
      expect(await write(frame, 'main', 'one')).toBe('account')
      let asked = 0
      await context.route('**/api/v1/player/**', async (route) => {
        asked += 1
        await route.abort()
      })
      const said = page.getByText('as soon as the store can be reached')
      for (const text of ['two', 'three']) {
        expect(await write(frame, 'main', text)).toBe('waiting')
        expect(await said.isVisible()).toBe(true)
      }
      for (let minute = 0; minute < 60; minute += 1) await context.clock.runFor(60_000)
      expect(asked).toBeWithin(4, 75)
      await context.unroute('**/api/v1/player/**')
      // Requests end by this clock, too: small steps leave them the time to be answered.
      await waitFor('all of them', async () => {
        await context.clock.runFor(2000)
        return (await saves.text('main')) === 'three'
      })
      await waitFor('the note is gone', async () => !(await said.isVisible()))
    })
    const { items } = await saves.history('main')
    expect(await Promise.all(items.map(({ revision }) => saves.text('main', revision)))).toEqual([
      'three',
      'two',
      'one',
    ])
  })

  test('a game that saves while it is being sent has no conflict with itself', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const { page, frame } = await play(context, game)
      expect(await read(frame, 'main')).toBeNull()
      const held = Promise.withResolvers<void>()
      const free = Promise.withResolvers<void>()
      let sent = 0
      await context.route('**/api/v1/player/**', async (route) => {
        if (route.request().method() !== 'PUT') return await route.continue()
        sent += 1
        // The first takes its time, and the second does not get through.
        if (sent === 2) return await route.abort()
        if (sent > 2) return await route.continue()
        held.resolve()
        await free.promise
        return await route.continue()
      })
      const first = write(frame, 'main', 'one')
      await held.promise
      const second = write(frame, 'main', 'two')
      expect(await read(frame, 'main')).toBe('two')
      free.resolve()
      expect(await first).toBe('account')
      expect(await second).toBe('waiting')
      const third = write(frame, 'main', 'three')
      expect(await read(frame, 'main')).toBe('three')
      await frame.evaluate("void dispatchEvent(new Event('online'))")
      await third
      await frame.evaluate("playshelf.saves.write('other', 'last')")
      expect(await page.locator('dialog').count()).toBe(0)
    })
    const { items } = await saves.history('main')
    expect(items.map(({ refused }) => refused)).toEqual([false, false, false])
    expect(await saves.text('main')).toBe('three')
  })

  test('what there is no room for waits in the browser, and the page says where to make room', async () => {
    const game = await store.publish()
    const { person, saves } = await store.newPlayer(game)
    await allow(person, game)
    await saves.write('old', crypto.getRandomValues(new Uint8Array(QUOTA - 60_000)), null)
    await store.withBrowser(async (context) => {
      await store.signIn(context, person)
      const { page, frame } = await play(context, game)
      const code = "playshelf.saves.write('main', 'x'.repeat(100_000)).catch(({ code }) => code)"
      expect(await frame.evaluate<unknown>(code)).toBe(4131)
      expect(await page.getByText('There is no room').isVisible()).toBe(true)
      expect((await read(frame, 'main'))?.length).toBe(100_000)
      expect((await saves.read('main')).status).toBe(404)
      await saves.remove('old')
      await saves.remove('old', '?bin=1')
      expect(await write(frame, 'next', 'small')).toBe('account')
      expect(await page.getByText('There is no room').isVisible()).toBe(false)
      expect((await saves.text('main')).length).toBe(100_000)
    })
  })

  test('a browser that is full says so, and keeps the save that it has', async () => {
    const game = await store.publish()
    await store.withBrowser(async (context) => {
      const { frame } = await play(context, game)
      expect(await write(frame, 'main', 'small')).toBe('browser')
      const failed =
        "playshelf.saves.write('main', 'x'.repeat(12_000_000)).catch(({ code, message }) => [code, message])"
      expect(await frame.evaluate<unknown[]>(failed)).toEqual([
        4131,
        expect.stringContaining('The save before it is still there.'),
      ])
      expect(await read(frame, 'main')).toBe('small')
    })
  })

  test('takes text and all kinds of bytes as they are, and refuses what is neither', async () => {
    const game = await store.publish()
    await store.withBrowser(async (context) => {
      const { frame } = await play(context, game)
      const kept = (data: string) =>
        frame.evaluate<number[] | string>(`playshelf.saves.write('main', ${data})
          .then(() => playshelf.saves.read('main'))
          .then((bytes) => [...new Uint8Array(bytes)], ({ name }) => name)`)
      expect(await kept('new Uint8Array([0, 1, 255]).buffer')).toEqual([0, 1, 255])
      expect(await kept('new Uint8Array([0, 1, 2, 3]).subarray(1, 3)')).toEqual([1, 2])
      expect(await kept('new Uint16Array([258, 3])')).toEqual([2, 1, 3, 0])
      expect(await kept('new DataView(new Uint8Array([7, 8, 9]).buffer, 1)')).toEqual([8, 9])
      expect(await kept('new Uint8Array(new SharedArrayBuffer(2)).fill(5)')).toEqual([5, 5])
      expect(await kept("''")).toEqual([])
      for (const bad of ['new Blob(["lost"])', '12', '[1, 2]', '{}', 'null', 'undefined'])
        expect(await kept(bad)).toBe('TypeError')
      expect(await frame.evaluate<number>('playshelf.saves.read().catch(({ code }) => code)')).toBe(4000)
    })
  })
})
