import { beforeAll, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'
import type { Browser, Page } from 'playwright-core'

import { games } from '../../../src/db/schema/games/games.ts'
import { jamEntries, jams } from '../../../src/db/schema/jams.ts'
import { makeZip } from '../../helpers/files/zips.ts'
import { endAndPin, insertFit, submit } from '../../helpers/jams/entries.ts'
import { inHours, type JamRow, moveJam } from '../../helpers/jams/jams.ts'
import { compute, type Entered, moveVotingEnd, play, putRating, setAge } from '../../helpers/jams/voting.ts'
import { LONG_TEXT, verifyEmail } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { type Person, signUp, usernameOf } from '../../helpers/people.ts'
import { releaseWeb } from '../../helpers/play.ts'
import {
  inspectPage,
  type KnownColours,
  openWindow,
  type SiteWindow,
} from '../../helpers/site/site-checks.ts'
import { pictureOf, press } from '../../helpers/site/steps.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const PHONE = { viewport: { width: 390, height: 844 }, userAgent: 'Mozilla/5.0 (Linux; Android 15; Mobile)' }
const JAM = '/jams/light-switch'

/** From the idea to the results, through the pages. Only times are moved, in the database. */
describeInBrowser('a whole jam', () => {
  const opened = useBrowser()
  // Uploads are scanned as they come.
  const server = useStore({ ROLE: 'all', TRUST_PROXY: '1' })
  const known: KnownColours = new Set()
  const faults: unknown[] = []
  const operator = usePerson(server, signUpOperator)
  let host: Person
  let entrant: Person
  let rival: Person
  let voters: Person[]
  beforeAll(async () => {
    const others: Person[] = []
    for (let count = 0; count < 5; count += 1) {
      const person = await signUp(server)
      await verifyEmail(server, person)
      await setAge(server, person, 400)
      others.push(person)
    }
    const [first, second, third, ...rest] = others as [Person, Person, Person, ...Person[]]
    ;[host, entrant, rival, voters] = [first, second, third, rest]
    await host.json('PATCH', '/api/v1/private/me', { developer_mode: true })
  })

  const openAs = async (person: Person | null, options: Parameters<Browser['newContext']>[0] = {}) =>
    await openWindow(opened.browser, server, person, options)
  const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()

  /** Axe in both themes, wide and narrow; the window keeps its size. */
  async function look(window: SiteWindow): Promise<void> {
    const size = window.page.viewportSize()
    const found = await inspectPage(window, undefined, known)
    if (found.length > 0) faults.push([window.page.url(), found])
    if (size) await window.page.setViewportSize(size)
  }

  async function findJam(): Promise<JamRow> {
    const [row] = await server.deps.db.select().from(jams).where(eq(jams.slug, 'light-switch'))
    if (!row) throw new Error('The jam is not there')
    return row
  }

  const listEntered = async (): Promise<Entered[]> =>
    await server.deps.db
      .select({ entry: jamEntries, game: games })
      .from(jamEntries)
      .innerJoin(games, eq(games.uid, jamEntries.gameUid))

  test('an operator lets developers make jams, and one of them makes one from the checklist', async () => {
    const policies = await openAs(operator)
    await policies.page.goto('/operate/settings')
    await policies.page.getByLabel('Who can make a game jam').selectOption('developers')
    await press(policies.page, 'Save Policies')
    await policies.page.getByText('The settings are saved and apply at once.').waitFor()
    await policies.context.close()

    const window = await openAs(host)
    const { page } = window
    await page.goto('/jams')
    await look(window)
    await follow(page, 'New jam')
    await page.getByLabel('Title').fill('Light Switch')
    await page.getByLabel('Tagline').fill('A weekend, a lamp, and the dark.')
    await page.getByLabel('Text (Markdown)').fill('## Rules\n\n1. Make it *this weekend*.\n2. Be kind.')
    await page.getByRole('textbox', { name: 'Theme', exact: true }).fill('Only one lamp')
    await page.getByLabel('Hide the theme until the start').check()
    await page.getByLabel('Start (UTC)').fill(inHours(24).slice(0, 16))
    await page.getByLabel('End (UTC)').fill(inHours(48).slice(0, 16))
    await page.getByLabel('End of the voting (UTC)').fill(inHours(96).slice(0, 16))
    await page.getByLabel('Grace in minutes').fill('0')
    await page.getByLabel('Entries must run in the browser').check()
    await page.getByLabel('Who votes').selectOption('everyone')
    await page.getByLabel('Ratings an entry needs').fill('2')
    await page.getByLabel('Name of criterion 1').fill('Fun')
    await page.getByLabel('Name of criterion 2').fill('Light')
    await page.getByLabel('What to look at').nth(1).fill('How dark is the dark?')
    await press(page, 'Make the jam')
    await page.getByText('The jam is a draft: only you and other hosts see it.').waitFor()
    await look(window)
    await follow(page, 'Manage')
    await page.locator('#cover-file').setInputFiles(await pictureOf(1280, 720))
    await press(page, 'Upload cover')
    await page.getByText('The cover is saved.').waitFor()
    await page.getByLabel('Who sees the jam').selectOption('public')
    await press(page, 'Save')
    await page.getByText('The jam is saved.').waitFor()
    await look(window)
    await window.context.close()

    const guest = await openAs(null)
    await guest.page.goto('/jams')
    await follow(guest.page, 'Light Switch')
    await guest.page.getByText('The theme is shown when the jam starts.').waitFor()
    await guest.page.getByRole('link', { name: 'Sign in to join' }).waitFor()
    await look(guest)
    await guest.context.close()
    expect(faults).toEqual([])
  })

  test('an entrant makes and enters a web game on a phone', async () => {
    await moveJam(server, await findJam(), { startsAt: new Date(inHours(-1)) })
    const window = await openAs(entrant, PHONE)
    const { page } = window
    await page.goto(JAM)
    await page.getByText('Only one lamp').waitFor()
    await press(page, 'Join')
    await page.getByText('You joined. You get notices').waitFor()
    await look(window)
    await follow(page, 'Enter a listing')
    await page.getByRole('heading', { name: 'You have no listing yet' }).waitFor()
    await follow(page, 'Make a listing')
    await page.getByLabel('Name').fill('Bulb')
    await press(page, 'Create project')
    await page.waitForURL('**/studio/bulb**')

    // What is missing leads to where it is added.
    const missing = async (text: string) => {
      await page.goto(`${JAM}/enter`)
      await follow(page, text)
    }
    await missing('Write a tagline.')
    await page.getByLabel('Tagline').fill('Screw it in, turn it on.')
    await page.getByLabel('Description (Markdown)').fill(LONG_TEXT)
    await press(page, 'Save')
    await page.getByText('The page is saved.').waitFor()
    await missing('Upload a cover.')
    await page.waitForLoadState()
    await page.getByLabel('Choose a cover').setInputFiles(await pictureOf(1280, 720))
    await page.getByRole('dialog', { name: 'Crop' }).getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('img', { name: 'The cover' }).waitFor()
    await missing('Release a web build that opens in a browser.')
    await page.getByLabel('Version').fill('1.0.0')
    await page.getByLabel('System').selectOption('web')
    const buffer = makeZip([{ name: 'index.html', data: '<!doctype html><title>Bulb</title>It glows.' }])
    const file = { name: 'bulb.zip', mimeType: 'application/zip', buffer }
    await page.getByLabel('File: choose the .zip').setInputFiles(file)
    await press(page, 'Upload build')
    await page.getByText('Checked, no antivirus', { exact: true }).first().waitFor()

    await page.goto(`${JAM}/enter`)
    await look(window)
    await page.getByRole('radio', { name: 'Bulb' }).check()
    await page.getByLabel('Note for voters').fill('Tap the lamp.')
    await press(page, 'Enter it')
    await page.getByText('It is entered. Public listings are shown here at once').waitFor()
    await look(window)
    await page.goto('/studio/bulb/jams')
    await page.getByText('Entered', { exact: true }).waitFor()
    expect(await page.getByLabel('Note for voters').inputValue()).toBe('Tap the lamp.')
    await look(window)
    await window.context.close()
    expect(faults).toEqual([])
  })

  test('at the deadline entries close, and a voter without script gets and rates them', async () => {
    const jam = await findJam()
    const rivals = await insertFit(server, rival, { name: 'Night Bus', vanityName: 'night-bus' })
    await releaseWeb(server, rivals.uid)
    await submit(rival, jam, rivals, { note: 'Ring the bell.' })
    await server.deps.db.execute(sql`update images set object_key = drawn.object_key from images as drawn
      join games on games.uid = drawn.game_uid and games.vanity_name = 'bulb'
      where images.game_uid = ${rivals.uid} and drawn.kind = 'cover'`)
    // Nobody waits for the job, which may be at it too.
    await endAndPin(server, jam)
    const late = await openAs(entrant, PHONE)
    await late.page.goto(`${JAM}/enter`)
    await late.page.getByText('The jam has ended: entries are closed.').waitFor()
    await look(late)
    await late.context.close()

    const [voter] = voters as [Person]
    const { page, context, problems } = await openAs(voter, { javaScriptEnabled: false })
    await page.goto(JAM)
    await follow(page, 'Rate entries')
    for (const count of [1, 2]) {
      await page.getByText('Play the entry for a minute, download it or install it').waitFor()
      const downloading = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download 1.0.0 for Web' }).click()
      expect((await downloading).suggestedFilename()).toEndWith('.zip')
      // What was typed and chosen by keyboard alone.
      for (const criterion of ['Fun', 'Light']) {
        await page.getByRole('group', { name: criterion }).getByRole('radio', { name: '1 star' }).focus()
        for (let star = 1; star < 4; star += 1) await page.keyboard.press('ArrowRight')
      }
      await page.getByLabel('Comment to the developer').fill('It glows.')
      await page.getByLabel('Show the comment to everyone').check()
      await page.getByRole('button', { name: 'Rate and go on' }).press('Enter')
      await page.getByText('Your rating is saved.').waitFor()
      await page.getByText(`${count === 1 ? '1 entry' : '2 entries'} rated`).waitFor()
    }
    await page.getByRole('heading', { name: 'You rated everything' }).waitFor()
    expect(problems).toEqual([])
    await context.close()
    expect(faults).toEqual([])
  })

  test('a voter with script plays in the browser, and rates on a phone', async () => {
    const [, voter] = voters as [Person, Person]
    const window = await openAs(voter, PHONE)
    const { page } = window
    await page.goto(`${JAM}/rate`)
    await look(window)
    const name = (await page.getByRole('heading', { level: 2 }).first().textContent()) ?? ''
    await follow(page, `Play ${name} in the browser`)
    await page.getByRole('button', { name: 'Start' }).waitFor()
    await look(window)
    await page.getByRole('link', { name: 'Leave' }).click()
    await page.getByRole('heading', { name }).waitFor()
    await look(window)
    // A minute of play, as the page reports it.
    const jam = await findJam()
    for (const entered of await listEntered()) {
      await play(server, entered, voter)
      await putRating(voter, jam, entered, { scores: { Fun: 5, Light: 2 }, comment: 'Twice.' })
    }
    await page.goto(`${JAM}/rate/rated`)
    await page.getByText('Fun 5, Light 2').first().waitFor()
    await look(window)
    await window.context.close()
    expect(faults).toEqual([])
  })

  test('the host checks votes, gives a prize and publishes the results, which everyone reads', async () => {
    const jam = await findJam()
    const window = await openAs(host)
    const { page } = window
    await page.goto(`${JAM}/manage`)
    await follow(page, 'Results')
    await press(page, 'Hold the results back')
    await page.getByText('The results are held back until you publish them.').waitFor()
    await moveVotingEnd(server, jam)
    await compute(server)
    const guest = await openAs(null)
    await guest.page.goto(`${JAM}/results`)
    await guest.page.getByText('The hosts publish the results soon.').waitFor()
    await look(guest)

    await page.goto(`${JAM}/manage/votes`)
    await page.getByText('4 votes, 4 of them count.').waitFor()
    const raw = page.waitForEvent('download')
    await follow(page, 'Download all votes without names (CSV)')
    const votes = await Bun.file(await (await raw).path()).text()
    expect(votes.trim().split('\r\n')).toHaveLength(5)
    for (const voter of voters) expect(votes).not.toContain(await usernameOf(voter))
    await look(window)
    await page.goto(`${JAM}/manage/results`)
    await page.getByText('Prizes and disqualification of Bulb').click()
    await page.getByLabel('Prizes').first().fill('Best glow | A lamp, by post.')
    await press(page, 'Save prizes')
    await page.getByText('The prizes are saved.').waitFor()
    await press(page, 'Publish results')
    await page.getByText('The results are out, or come out when the voting ends.').waitFor()
    await look(window)
    await window.context.close()

    await guest.page.goto(JAM)
    await follow(guest.page, 'See the results')
    await guest.page.getByRole('row', { name: /1 Bulb Best glow/ }).waitFor()
    await look(guest)
    const results = guest.page.waitForEvent('download')
    await follow(guest.page, 'Download as CSV')
    const lines = (await Bun.file(await (await results).path()).text()).trim().split('\r\n')
    expect(lines).toHaveLength(3)
    await follow(guest.page, 'Bulb')
    await guest.page.getByText('It glows.').waitFor()
    expect(await guest.page.getByText('Twice.').count()).toBe(0)
    await look(guest)
    await guest.context.close()
    expect(faults).toEqual([])
  })
})
