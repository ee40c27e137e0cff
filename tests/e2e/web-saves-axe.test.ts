import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { DEVICE_VIEWS, inspectPage } from '../helpers/site/site-checks.ts'
import { describeInBrowser } from '../helpers/site/use-browser.ts'
import { ALLOW, play, press, useWebSaves, write } from '../helpers/site/web-saves.ts'

const LONG = 'x'.repeat(64)
const STATES = ['away', 'unkept', 'full', 'ended']

describeInBrowser('axe, three widths and both themes have nothing to say about', () => {
  const store = useWebSaves()

  /** What is wrong, after the name of what is shown. */
  const inspect = async (page: Page, shown: string) =>
    (await inspectPage({ page, context: page.context(), problems: [] }, DEVICE_VIEWS)).map(
      (fault) => `${shown}: ${fault}`,
    )

  test('the questions of the play page, its notes, and the page of the saves', async () => {
    const game = await store.publish({ name: `The ${LONG} game` })
    const { person, saves } = await store.newPlayer(game)
    await store.withBrowser(async (context) => {
      const guest = await play(context, game)
      for (const slot of [LONG, ...Array.from({ length: 21 }, (_, index) => `slot ${index}`)])
        await write(guest.frame, slot, 'x')
      await guest.page.close()
      await store.signIn(context, person)
      const { page, frame } = await play(context, game)
      const list = async () => await inspect(await openSaves(), 'saves')
      const openSaves = async () => {
        const opened = await context.newPage()
        await opened.goto(`${store.server.url}/library/${game.vanityName}/saves`)
        return opened
      }
      const faults = await list()

      const first = write(frame, LONG, 'one')
      await page.getByRole('button', { name: ALLOW }).waitFor()
      faults.push(...(await inspect(page, 'consent')))
      await press(page, ALLOW)
      await page.getByRole('button', { name: 'Take over' }).waitFor()
      expect(await page.getByText('2 more').isVisible()).toBe(true)
      faults.push(...(await inspect(page, 'takeover')))
      await press(page, 'Leave')
      await first
      faults.push(...(await list()))

      const [slot] = (await saves.list()).slots
      await saves.put(LONG, 'two', slot?.revision ?? null, { 'x-save-device': 'D'.repeat(80) })
      const second = write(frame, LONG, 'three')
      await page.getByRole('button', { name: 'Keep both' }).waitFor()
      faults.push(...(await inspect(page, 'conflict')))
      await press(page, 'Keep both')
      expect(await second).toBe('account')

      for (const state of STATES) {
        await page.evaluate(`for (const note of document.querySelectorAll('[data-saves-note]'))
          note.hidden = note.dataset.savesNote !== '${state}'`)
        faults.push(...(await inspect(page, state)))
      }
      await person.json('PUT', `/api/v1/private/games/${game.uid}/saves`, { allowed: false })
      faults.push(...(await list()))
      expect(faults).toEqual([])
    })
  })
})
