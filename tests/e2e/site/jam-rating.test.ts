import { beforeAll, expect, test } from 'bun:test'

import { images } from '../../../src/db/schema/games/game-pages.ts'
import { addToJam, endVoting, enter, insertJam, type JamRow, rate } from '../../helpers/jams/voting.ts'
import { signUp } from '../../helpers/people.ts'
import { inspectPage, type KnownColours, openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const HOSTILE = '<b>Lampes & Fils</b> مصباح ' + 'x'.repeat(60)

describeInBrowser('ratings of jams in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  const host = usePerson(server)
  const voter = usePerson(server)
  let open: JamRow
  let over: JamRow
  beforeAll(async () => {
    const criteria = [
      { name: 'Fun', text: '', primary: false },
      { name: HOSTILE.slice(0, 40), text: HOSTILE, primary: true },
    ]
    const scores = { Fun: 4, [HOSTILE.slice(0, 40)]: 5 }
    const [first, second] = [
      await insertJam(server, { criteria, title: HOSTILE.slice(0, 80) }),
      await insertJam(server, { criteria }),
    ]
    for (const jam of [first, second]) {
      await addToJam(server, jam, host, 'host')
      await enter(server, jam, voter)
      const entered = await enter(server, jam, host, {
        systems: ['web', 'linux', 'windows'],
        entry: { note: HOSTILE, prizes: [{ title: HOSTILE.slice(0, 80), text: HOSTILE }] },
        game: { name: HOSTILE.slice(0, 80), tagline: HOSTILE },
      })
      await enter(server, jam, await signUp(server), { systems: ['web'] })
      await rate(server, voter, jam, entered, { scores, comment: HOSTILE, public: true })
    }
    await endVoting(server, second)
    // There are no files behind the covers of these listings.
    await server.deps.db.delete(images)
    ;[open, over] = [first, second]
  })

  test('pages are accessible in both themes, wide and narrow, for voters, hosts and guests', async () => {
    const known: KnownColours = new Set()
    const faults: unknown[] = []
    const [voting, past] = [`/jams/${open.slug}`, `/jams/${over.slug}`]
    for (const [person, paths] of [
      [voter, [`${voting}/rate?os=any`, `${voting}/rate/rated`, `${past}/rate`]],
      [
        host,
        [`${voting}/manage/votes`, `${voting}/manage/results`, `${past}/manage/results`, `${voting}/results`],
      ],
      [null, [`${past}/results`, `${past}/results?criterion=Fun`]],
    ] as const) {
      const window = await openWindow(opened.browser, server, person)
      for (const path of paths) {
        await window.page.goto(path)
        const found = await inspectPage(window, undefined, known)
        if (found.length > 0) faults.push([path, found])
      }
      await window.context.close()
    }
    expect(faults).toEqual([])
  })

  test('stars are given with the keyboard alone', async () => {
    const { context, page } = await openWindow(opened.browser, server, voter)
    await page.goto(`/jams/${open.slug}/rate?os=any`)
    await page.locator('input[name="score-0"]').first().focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await page.locator('input[name="score-0"]:checked').getAttribute('value')).toBe('3')
    await context.close()
  })
})
