import { beforeAll, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { reindex } from '../../../src/features/catalog/search/reindex.ts'
import { enqueue } from '../../../src/jobs/queue.ts'
import { insertBuild, insertFile } from '../../helpers/builds.ts'
import { failingJob } from '../../helpers/jobs.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { inspectPage, openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { useStore } from '../../helpers/store.ts'

const LONG_NAME = 'Unpronounceable'.repeat(5)
const LONG_ERROR = `connect ECONNREFUSED ${'mail.example.org/'.repeat(12)}`

describeInBrowser('pages for operators', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  let operator: Person
  let developer: Person
  let game: GameRow
  beforeAll(async () => {
    ;[operator, developer] = await Promise.all([signUpOperator(server), signUp(server, LONG_NAME)])
    game = await insertPublicGame(server, developer, { name: LONG_NAME })
    const build = await insertBuild(server, game.uid)
    await insertFile(server, build, { filename: `${LONG_NAME}.zip` })
    await insertFile(server, build, { scan: 'infected', scanDetail: LONG_ERROR })
    await developer.json('POST', `/api/v1/private/games/${game.uid}/reports`, {
      reason: 'stolen',
      text: LONG_NAME,
    })
    // The editor of a collection shows covers; that of a public one has no file here.
    const games = [(await insertGame(server, developer, { name: LONG_NAME, visibility: 'public' })).uid]
    await operator.json('POST', '/api/v1/operator/collections', { title: 'Rainy days', games, on_home: true })
    await failJob()
    await operator.json('POST', '/api/v1/operator/search/rebuild')
  })

  async function failJob(): Promise<void> {
    const { db } = server.deps
    await enqueue(db, failingJob, { reason: 'x' })
    await db.execute(sql`
      update graphile_worker._private_jobs set attempts = max_attempts, last_error = ${LONG_ERROR}
      where task_id = (select id from graphile_worker._private_tasks where identifier = ${failingJob.name})`)
  }

  test('are for everyone, at every width and in both themes', async () => {
    const window = await openWindow(opened.browser, server, operator)
    const { page, context } = window
    const paths = [
      '/operate',
      '/operate?done=rebuild',
      '/operate/jobs',
      '/operate/jobs?state=running',
      '/operate/reports',
      '/operate/listings',
      '/operate/listings?q=nothing-like-it',
      `/operate/listings/${game.uid}`,
      `/operate/listings/${game.uid}/take-down`,
      '/operate/accounts',
      `/operate/accounts/${developer.uid}/suspend`,
      `/operate/accounts/${developer.uid}/reset-factors`,
      '/operate/settings?done=saved',
      '/operate/settings/page?new=privacy',
      '/operate/invites',
      '/operate/queue',
      '/operate/collections',
      '/operate/collections/new',
      '/operate/collections/rainy-days',
      '/operate/searches',
      '/operate/audit',
    ]
    const faults: string[] = []
    for (const path of paths) {
      expect((await page.goto(path))?.status()).toBe(200)
      faults.push(...(await inspectPage(window)).map((fault) => `${path}: ${fault}`))
    }
    await page.goto(`/operate/listings/${game.uid}/take-down`)
    await page.getByRole('button', { name: 'Take down' }).click()
    faults.push(...(await inspectPage(window)))
    await context.close()
    expect(faults).toEqual([])
  })

  test('a collection is put together from pictures, by keyboard alone', async () => {
    const names = ['Lantern Reef', 'Harbour of Paper', 'Moss and Iron']
    const games = await Promise.all(
      names.map((name) => insertGame(server, developer, { name, visibility: 'public' })),
    )
    await reindex(server.deps)
    const window = await openWindow(opened.browser, server, operator)
    const { page, context } = window
    await page.goto('/operate/collections/new')
    await page.getByLabel('Title').fill('Three of a kind')
    const box = page.getByRole('combobox', { name: 'Add listings' })
    const chosen = page.getByRole('list', { name: 'Listings, in their order' }).getByRole('listitem')
    for (const [index, name] of names.entries()) {
      await box.focus()
      await page.keyboard.type(name.slice(0, 6))
      await page.getByRole('option', { name, selected: true }).waitFor()
      if (index === 0) expect(await inspectPage(window)).toEqual([])
      await page.keyboard.press('Enter')
      await chosen.filter({ hasText: name }).waitFor()
    }
    // What is chosen is not offered again.
    await page.keyboard.type('Lantern')
    await page.getByText('Nothing public is called').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Move up Moss and Iron' }).press('Enter')
    await page.getByText('Moss and Iron is now 2 of 3.').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Moss and Iron is now 1 of 3.').waitFor()
    await page.getByRole('button', { name: 'Remove Harbour of Paper' }).press('Enter')
    await page.getByText('Harbour of Paper is removed.').waitFor()
    expect(await inspectPage(window)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByText('The collection is saved').waitFor()
    const answer = await operator.fetch('/api/v1/operator/collections')
    const { items } = await readData<{ items: { slug: string; games: string[] }[] }>(answer)
    const saved = items.find(({ slug }) => slug === 'three-of-a-kind')
    expect(saved?.games).toEqual([games[2]?.uid ?? '', games[0]?.uid ?? ''])
    // Saved ones come back with their places, and an address that was pasted is found too.
    await page.goto('/operate/collections/three-of-a-kind')
    await page
      .getByRole('combobox', { name: 'Add listings' })
      .fill(`${server.url}/games/${games[1]?.vanityName}`)
    await page.getByRole('option', { name: 'Harbour of Paper' }).click()
    await chosen.filter({ hasText: 'Harbour of Paper' }).waitFor()
    expect(await chosen.locator('strong').allTextContents()).toEqual([
      'Moss and Iron',
      'Lantern Reef',
      'Harbour of Paper',
    ])
    await context.close()
  })

  test('work without script: every act, with its reason, undone and on record', async () => {
    const { page, context } = await openWindow(opened.browser, server, operator, { javaScriptEnabled: false })
    const button = (name: string | RegExp) => page.getByRole('button', { name })
    const status = () => page.getByRole('status').first().textContent()

    await page.goto('/')
    await page.goto('/operate')
    await button('Rebuild index').click()
    expect(await status()).toContain('being rebuilt')

    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await button(/^Try again/).click()
    expect(await status()).toBe('The job starts over.')

    await page.getByRole('link', { name: /^Reports/ }).click()
    await page.getByRole('link', { name: /^Take down/ }).click()
    await button('Take down').click()
    expect(await page.getByRole('alert').textContent()).toContain('Enter the reason.')
    await page.getByLabel('Reason').fill('Somebody else made it.')
    await button('Take down').click()
    expect(await status()).toContain('taken down')
    expect((await server.fetch(`/games/${game.vanityName}`)).status).toBe(404)
    await button(/^Undo take-down/).click()
    expect(await status()).toContain('back as it was')
    expect((await server.fetch(`/games/${game.vanityName}`)).status).toBe(200)
    await button(/^Rescan/).click()
    expect(await status()).toContain('scanned again')

    await page.getByRole('link', { name: 'Accounts', exact: true }).click()
    await page.getByLabel('Find an account').fill(developer.email)
    await button('Find').click()
    await page.getByRole('link', { name: /^Suspend account/ }).click()
    await page.getByLabel('Reason').fill('Three in a week.')
    await button('Suspend account').click()
    expect(await status()).toContain('suspended')
    expect((await developer.fetch('/api/v1/private/me')).status).toBe(401)
    await button(/^Undo suspension/).click()

    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.waitForLoadState()
    const log = await page.getByRole('main').textContent()
    for (const text of [
      'took down',
      'Somebody else made it.',
      'restored',
      'rescan',
      'suspended',
      'Three in a week.',
    ])
      expect(log).toContain(text)
    await context.close()
  })
})
