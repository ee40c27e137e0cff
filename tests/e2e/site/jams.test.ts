import { beforeAll, expect, test } from 'bun:test'

import { inHours, insertJam, insertMember, type JamRow } from '../../helpers/jams/jams.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { signUp } from '../../helpers/people.ts'
import { inspectPage, type KnownColours, openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { usePerson, useStore } from '../../helpers/store.ts'
import { waitFor } from '../../helpers/wait.ts'

const HOSTILE = '<b>Lampes & Fils</b> مصباح ' + 'x'.repeat(60)

describeInBrowser('jams in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  const host = usePerson(server, signUpOperator)
  let jam: JamRow
  beforeAll(async () => {
    jam = await insertJam(server, {
      state: 'running',
      host,
      endsAt: new Date(inHours(30)),
      title: HOSTILE.slice(0, 80),
      tagline: HOSTILE,
      theme: HOSTILE,
      text: `# One\n\n${HOSTILE}\n\n| a | b |\n| - | - |\n| ${'c'.repeat(200)} | d |`,
      criteria: [{ name: HOSTILE.slice(0, 40), text: HOSTILE, primary: true }],
    })
    await insertMember(server, jam, host)
    await insertJam(server, { host, visibility: 'draft', entry: 'invited' })
    await host.json('PATCH', `/api/v1/private/jams/${jam.uid}`, { text: `# Two\n\n${HOSTILE}` })
    await host.json('POST', `/api/v1/private/jams/${jam.uid}/manage/codes`, { label: HOSTILE.slice(0, 60) })
  })

  test('pages are accessible in both themes, wide and narrow, for guests and hosts', async () => {
    const known: KnownColours = new Set()
    const faults: unknown[] = []
    const base = `/jams/${jam.slug}`
    for (const [person, paths] of [
      [null, ['/jams', '/jams?state=past', base, `${base}/participants`]],
      [
        host,
        ['/jams', base, '/jams/new', `${base}/manage`, `${base}/manage/codes`, `${base}/manage/late-links`],
      ],
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

  test('times are in the zone of the visitor with its name, and count down by the clock of the store', async () => {
    const { context, page } = await openWindow(opened.browser, server, null, { timezoneId: 'Asia/Tokyo' })
    await page.goto(`/jams/${jam.slug}`)
    const next = page.locator('.jam-next')
    await next.filter({ hasText: 'GMT+9' }).waitFor()
    await next.filter({ hasText: /in 1 day 05:\d\d:\d\d/ }).waitFor()
    const before = await next.textContent()
    await waitFor('the next second', async () => (await next.textContent()) !== before)
    await context.close()
  })

  test('without script, times are in UTC and say how long is left', async () => {
    const { context, page } = await openWindow(opened.browser, server, null, { javaScriptEnabled: false })
    await page.goto(`/jams/${jam.slug}`)
    expect(await page.locator('.jam-next').textContent()).toMatch(/UTC, in 29 hours$/)
    await context.close()
  })

  test('a jam is made, published and joined with the keyboard', async () => {
    const { context, page, problems } = await openWindow(opened.browser, server, host)
    await page.goto('/jams/new')
    await page.getByLabel('Title').fill('Typed Jam')
    await page.getByLabel('Start (UTC)').fill(inHours(24).slice(0, 16))
    await page.getByLabel('End (UTC)').fill(inHours(48).slice(0, 16))
    await page.getByRole('button', { name: 'Make the jam' }).press('Enter')
    await page.waitForURL('**/jams/typed-jam?done=created')
    await page.getByRole('link', { name: 'Manage' }).press('Enter')
    await page.getByLabel('Who sees the jam').selectOption('public')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByText('The jam is saved.').waitFor()
    const player = await signUp(server)
    const other = await openWindow(opened.browser, server, player, { viewport: { width: 390, height: 800 } })
    await other.page.goto('/jams/typed-jam')
    await other.page.getByRole('button', { name: 'Join' }).press('Enter')
    await other.page.getByText('You joined. You get notices').waitFor()
    expect([...problems, ...other.problems]).toEqual([])
    await Promise.all([context.close(), other.context.close()])
  })
})
