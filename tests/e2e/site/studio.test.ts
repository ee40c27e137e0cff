import { expect, test } from 'bun:test'

import type { BrowserContext, Page } from 'playwright-core'

import { reindex } from '../../../src/features/catalog/search/reindex.ts'
import { SMALL_WEBM } from '../../helpers/files/video-files.ts'
import { readData } from '../../helpers/json.ts'
import { insertAdmin, insertGame, LONG_TEXT } from '../../helpers/listings.ts'
import { waitForMail } from '../../helpers/mails.ts'
import { type Person, randomAddress, signUp } from '../../helpers/people.ts'
import { cookiesOf, STEP_MS } from '../../helpers/site/browser.ts'
import { findViolations } from '../../helpers/site/site-checks.ts'
import { fillWhenDrawn, PASSWORD, pictureOf, press, uploadBuild } from '../../helpers/site/steps.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { useStore } from '../../helpers/store.ts'
import { waitFor } from '../../helpers/wait.ts'

/** What is used of the element; this project has no types of the DOM. */
interface Film {
  preload: string
  readonly duration: number
  load(): void
  addEventListener(name: string, act: (event: unknown) => void): void
}

describeInBrowser('the studio in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })

  async function open(person?: Person): Promise<{ context: BrowserContext; page: Page }> {
    const context = await opened.browser.newContext({
      baseURL: server.url,
      extraHTTPHeaders: { 'x-forwarded-for': randomAddress() },
    })
    context.setDefaultTimeout(STEP_MS)
    if (person) await context.addCookies(cookiesOf(person, server.url))
    return { context, page: await context.newPage() }
  }

  async function signUpHere(page: Page, name: string): Promise<void> {
    const email = `${name.toLowerCase()}-${crypto.randomUUID().slice(0, 8)}@example.org`
    await page.goto('/sign-up')
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await press(page, 'Create account')
    await page.goto((await waitForMail(server, email, 'Confirm your e-mail address')).link)
    await press(page, 'Confirm address')
    await page.getByRole('heading', { name: 'Your e-mail address is confirmed' }).waitFor()
  }

  test('from signing up to a published game that somebody else finds, downloads and reviews', async () => {
    const maker = await open()
    const { page } = maker
    await signUpHere(page, 'Maker')
    await page.getByRole('link', { name: 'Studio' }).click()
    await page.getByRole('link', { name: 'New project' }).click()
    await page.getByLabel('Name').fill('Harbour of Paper')
    await press(page, 'Create project')
    await press(page, 'Publish')
    await page.getByRole('alert').getByRole('link', { name: 'Add a tagline' }).click()
    expect(new URL(page.url()).hash).toBe('#tagline')

    // Its script previews only what is typed once it runs.
    await page.waitForLoadState()
    await fillWhenDrawn(page.getByLabel('Tagline'), 'Fold ships, wait for wind.')
    await page.getByLabel('Description (Markdown)').fill(`# Hello\n\n${LONG_TEXT}`)
    await page.getByRole('region', { name: 'Preview' }).getByRole('heading', { name: 'Hello' }).waitFor()
    await page.getByRole('checkbox', { name: 'puzzle' }).check()
    await page.getByLabel('Tags').fill('paper, ships, calm')
    await press(page, 'Save')
    await page.getByText('The page is saved.').waitFor()

    await page.getByRole('link', { name: 'Media' }).click()
    await page.waitForLoadState()
    await page.getByLabel('Choose a cover').setInputFiles(await pictureOf(900, 900))
    const dialog = page.getByRole('dialog', { name: 'Crop' })
    await dialog.waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('ArrowUp')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('img', { name: 'The cover' }).waitFor()
    await page
      .getByLabel('Add screenshots')
      .setInputFiles([await pictureOf(640, 360), await pictureOf(660, 360)])
    await page.getByRole('button', { name: 'Move screenshot 2 earlier' }).click()
    await page.getByRole('img', { name: 'Screenshot 2' }).waitFor()

    await uploadBuild(page)

    await page.getByRole('link', { name: 'Overview' }).click()
    await press(page, 'Publish')
    await page.getByText('The page is public.').waitFor()

    const player = await open()
    await signUpHere(player.page, 'Player')
    const found = player.page.getByRole('link', { name: 'Harbour of Paper', exact: true })
    await waitFor('the search finds it', async () => {
      await player.page.goto('/search?q=harbour+of+paper')
      return (await found.count()) > 0
    })
    await found.first().click()
    await player.page.getByRole('button', { name: 'Get' }).click()
    await player.page.getByText('In your library', { exact: true }).first().waitFor()
    const [download] = await Promise.all([
      player.page.waitForEvent('download'),
      player.page.getByRole('link', { name: 'Download' }).first().click(),
    ])
    expect((await Bun.file(await download.path()).bytes()).length).toBeGreaterThan(0)
    await player.page.getByLabel('5 of 5 great').check()
    await player.page.getByLabel('Review', { exact: true }).fill('The wind came.')
    await press(player.page, 'Write a review')
    await player.page.getByText('The wind came.').first().waitFor()
    await maker.context.close()
    await player.context.close()
  })

  test('similar titles are chosen by their pictures, and kept in their order', async () => {
    const maker = await signUp(server)
    const [game, first, second, third] = await Promise.all([
      insertGame(server, maker),
      insertGame(server, maker, { name: 'Tin Orchard', visibility: 'public' }),
      insertGame(server, maker, { name: 'Velvet Quarry', visibility: 'public' }),
      insertGame(server, maker, { name: 'Gone Since', visibility: 'public' }),
    ])
    await reindex(server.deps)
    const path = `/api/v1/private/games/${game.uid}`
    const refs = [first.uid, third.uid]
    expect((await maker.json('PATCH', path, { similar_titles: refs })).status).toBe(200)
    const { page, context } = await open(maker)
    await page.goto(`/studio/${game.vanityName}/page`)
    const chosen = page.getByRole('list', { name: 'Similar titles' }).getByRole('listitem')
    await chosen.filter({ hasText: 'Tin Orchard' }).waitFor()
    const box = page.getByRole('combobox', { name: 'Similar titles' })
    await box.fill('velvet')
    await page.getByRole('option', { name: 'Velvet Quarry' }).click()
    await page.getByRole('button', { name: 'Move up Velvet Quarry' }).click()
    await page.getByRole('button', { name: 'Move up Velvet Quarry' }).click()
    await page.getByRole('button', { name: 'Remove Gone Since' }).click()
    expect(await findViolations(page)).toEqual([])
    await press(page, 'Save')
    await page.getByText('The page is saved.').waitFor()
    const { similar_titles } = await readData<{ similar_titles: { uid: string }[] }>(await maker.fetch(path))
    expect(similar_titles.map(({ uid }) => uid)).toEqual([second.uid, first.uid])
    await context.close()
  })

  test('two people edit one page: the second sees both versions and keeps the own', async () => {
    const [owner, helper] = [await signUp(server), await signUp(server)]
    const game = await insertGame(server, owner, { tagline: 'At first.' })
    await insertAdmin(server, game.uid, helper, 'accepted')
    const path = `/studio/${game.vanityName}/page`
    const [first, second] = [await open(owner), await open(helper)]
    for (const { page } of [first, second]) await page.goto(path)
    await first.page.getByLabel('Tagline').fill('Written first.')
    await press(first.page, 'Save')
    await first.page.getByText('The page is saved.').waitFor()
    await second.page.getByLabel('Tagline').fill('Written second.')
    await press(second.page, 'Save')
    await second.page.getByRole('alert').filter({ hasText: 'Somebody else saved this page' }).waitFor()
    await second.page.waitForLoadState()
    for (const text of ['Written first.', 'Written second.']) {
      expect(await second.page.locator('.version', { hasText: text }).count()).toBe(1)
    }
    await press(second.page, 'Keep mine')
    await second.page.getByText('The page is saved.').waitFor()
    await first.page.reload()
    expect(await first.page.getByLabel('Tagline').inputValue()).toBe('Written second.')
    await first.context.close()
    await second.context.close()
  })

  test('leaving with unsaved text warns, and the text is still there afterwards', async () => {
    const owner = await signUp(server)
    const game = await insertGame(server, owner)
    const { context, page } = await open(owner)
    await page.goto(`/studio/${game.vanityName}/page`)
    const warnings: string[] = []
    page.on('dialog', (dialog) => {
      warnings.push(dialog.type())
      void dialog.accept()
    })
    await page.getByRole('link', { name: 'All projects' }).click()
    await page.getByRole('heading', { name: 'Your projects' }).waitFor()
    expect(warnings).toEqual([])

    await page.goto(`/studio/${game.vanityName}/page`)
    await page.getByLabel('Tagline').fill('Never saved.')
    await page.getByText('Not saved yet').waitFor()
    await page.getByRole('link', { name: 'All projects' }).click()
    await page.getByRole('heading', { name: 'Your projects' }).waitFor()
    expect(warnings).toEqual(['beforeunload'])

    await page.goto(`/studio/${game.vanityName}/page`)
    expect(await page.getByLabel('Tagline').inputValue()).toBe('Repair the stars.')
    await press(page, 'Restore it')
    expect(await page.getByLabel('Tagline').inputValue()).toBe('Never saved.')
    await press(page, 'Save')
    await page.getByText('The page is saved.').waitFor()
    await page.reload()
    expect(await page.getByRole('button', { name: 'Restore it' }).isVisible()).toBe(false)
    await context.close()
  })

  test('limits are counted while one types', async () => {
    const owner = await signUp(server)
    const game = await insertGame(server, owner)
    const { context, page } = await open(owner)
    await page.goto(`/studio/${game.vanityName}/page`)
    await page.getByLabel('Tagline').fill('A seal 🦭')
    await page.getByText('8 of 140 characters').waitFor()
    await page.getByLabel('Tagline').fill('x'.repeat(145))
    await page.getByText('5 characters too many').waitFor()
    for (const genre of ['action', 'card', 'idle']) await page.getByRole('checkbox', { name: genre }).check()
    await page.getByText('4 of 3 chosen').waitFor()
    await context.close()
  })

  test('a video is sent with its progress, and what is wrong with it is said', async () => {
    const owner = await signUp(server)
    const game = await insertGame(server, owner)
    const { context, page } = await open(owner)
    await page.goto(`/studio/${game.vanityName}/media`)
    const choose = async (file: Bun.BunFile | Blob, name: string) => {
      const buffer = Buffer.from(await file.arrayBuffer())
      await page.getByLabel('Add a video file').setInputFiles({ name, mimeType: 'video/webm', buffer })
      await page.getByRole('button', { name: 'Upload the video' }).click()
    }
    await choose(new Blob(['no film']), 'film.webm')
    await page.getByRole('alert').getByText('file must be an MP4 or WebM video.').waitFor()
    await choose(SMALL_WEBM, 'film.webm')
    await page.getByRole('heading', { name: 'Videos (1 of 4)' }).waitFor()
    await page.getByRole('status').getByText('The video is added.').waitFor()
    const duration = await page.locator('video').evaluate(async (node) => {
      const video = node as unknown as Film
      const loaded = new Promise((resolve) => video.addEventListener('loadedmetadata', resolve))
      video.preload = 'metadata'
      video.load()
      await loaded
      return video.duration
    })
    expect(duration).toBe(2)
    await context.close()
  })
})
