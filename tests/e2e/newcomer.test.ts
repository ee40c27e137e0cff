import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import { LONG_TEXT } from '../helpers/listings.ts'
import { waitForMail } from '../helpers/mails.ts'
import { type ChildServer, createTempDir, startChild } from '../helpers/processes/child.ts'
import { openWindow } from '../helpers/site/site-checks.ts'
import {
  addAuthenticator,
  fillWhenDrawn,
  PASSWORD,
  pictureOf,
  press,
  setUpStore,
  uploadBuild,
} from '../helpers/site/steps.ts'
import { describeInBrowser, useBrowser } from '../helpers/site/use-browser.ts'
import { waitFor } from '../helpers/wait.ts'

const DEVELOPER = 'robin@example.org'
/** The seconds of each step are written here. */
const RESULTS = join(import.meta.dir, 'results/newcomer.json')

/** On an empty folder, with nothing set but where it is, and only through the pages. */
describeInBrowser("a newcomer's way to a store of one's own", () => {
  let dir: Awaited<ReturnType<typeof createTempDir>>
  const opened = useBrowser()
  let server: ChildServer
  let operator: Page
  let developer: Page
  const seconds: Record<string, number> = {}

  beforeAll(async () => {
    dir = await createTempDir('newcomer')
  })
  afterAll(async () => {
    await Bun.write(RESULTS, JSON.stringify(seconds, null, 2))
    server.kill('SIGTERM')
    await server.exited
    await dir.remove()
  })

  const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()

  test('from an empty folder to a branded store with a legal page, a developer and a collection', async () => {
    const step = async (name: string, act: () => Promise<void>) => {
      const started = performance.now()
      await act()
      seconds[name] = Math.round((performance.now() - started) / 100) / 10
    }

    await step('starts the server', async () => {
      server = await startChild({ env: { DATA_DIR: join(dir.path, 'data') } })
      operator = (await openWindow(opened.browser, server)).page
      developer = (await openWindow(opened.browser, server)).page
    })

    await step('opens the printed address and sets up the store', async () => {
      // It is printed once the server is ready.
      const read = () => /(http\S+\/setup\?token=[\w-]+)\s/.exec(server.output())?.[1]
      await operator.goto(await waitFor('the printed address', read))
      await setUpStore(operator)
    })

    await step('adds a second factor', () => addAuthenticator(operator))

    await step('gives it a logo and a headline', async () => {
      await operator.goto('/operate')
      await follow(operator, 'Settings')
      await operator
        .getByRole('region', { name: 'Logo', exact: true })
        .getByLabel('File')
        .setInputFiles(await pictureOf(400, 100))
      await press(operator, 'Upload Logo')
      await operator.getByText('The image is saved and shown at once.').waitFor()
      await fillWhenDrawn(operator.getByLabel('Headline'), 'Games by lamplight')
      await press(operator, 'Save Home page')
      await operator.getByText('The settings are saved and apply at once.').waitFor()
    })

    await step('writes a legal page', async () => {
      await follow(operator, 'Write Terms of use')
      await operator.getByLabel('Text').fill('# Terms\n\nBe kind, and keep what you buy.')
      await press(operator, 'Save')
      await operator.getByText('The page is saved.').waitFor()
    })

    await step('invites a developer', async () => {
      await follow(operator, 'Invites')
      await press(operator, 'Make invitations')
      const link = (await operator.locator('.invite-codes code').textContent()) ?? ''
      await developer.goto(link)
      await developer.getByText('Terms of use').first().waitFor()
      await developer.getByLabel('Name').fill('Robin')
      await developer.getByLabel('E-mail').fill(DEVELOPER)
      await developer.getByLabel('Password').fill(PASSWORD)
      await press(developer, 'Create account')
      const mail = await waitForMail(
        { dataDir: join(dir.path, 'data') },
        DEVELOPER,
        'Confirm your e-mail address',
      )
      expect(mail.text).toContain('Lantern Games')
      await developer.goto(mail.link)
      await press(developer, 'Confirm address')
      await developer.getByRole('heading', { name: 'Your e-mail address is confirmed' }).waitFor()
    })

    await step('has the first game published', async () => {
      await follow(developer, 'Studio')
      await follow(developer, 'New project')
      await developer.getByLabel('Name').fill('Harbour of Paper')
      await press(developer, 'Create project')
      await follow(developer, 'Page')
      await developer.getByLabel('Tagline').fill('Fold ships, wait for wind.')
      await developer.getByLabel('Description (Markdown)').fill(LONG_TEXT)
      await developer.getByRole('checkbox', { name: 'puzzle' }).check()
      await developer.getByLabel('Tags').fill('paper, ships, calm')
      await press(developer, 'Save')
      await developer.getByText('The page is saved.').waitFor()
      await follow(developer, 'Media')
      // Its script takes only what is chosen once it runs.
      await developer.waitForLoadState()
      await developer.getByLabel('Choose a cover').setInputFiles(await pictureOf(1280, 720))
      const apply = developer.getByRole('dialog', { name: 'Crop' }).getByRole('button', { name: 'Apply' })
      await apply.click()
      await developer.getByRole('img', { name: 'The cover' }).waitFor()
      const screenshots = await Promise.all([640, 660].map((width) => pictureOf(width, 360)))
      await developer.getByLabel('Add screenshots').setInputFiles(screenshots)
      await developer.getByRole('img', { name: 'Screenshot 2' }).waitFor()
      await uploadBuild(developer)
      await follow(developer, 'Overview')
      await press(developer, 'Publish')
      await developer.getByText('The page is public.').waitFor()
    })

    await step('puts it into a collection on the home page', async () => {
      await operator.goto('/operate')
      await follow(operator, 'Collections')
      await follow(operator, 'New collection')
      await operator.getByLabel('Title').fill('By the sea')
      await operator.getByText('Write addresses instead').click()
      await operator.getByLabel('Add listings, as addresses').fill('harbour-of-paper')
      await operator.getByLabel('Show it on the home page').check()
      await press(operator, 'Save')
      await operator.getByText('The collection is saved, and everyone sees it now.').waitFor()
    })

    await step('sees it as a visitor', async () => {
      const { page, context, problems } = await openWindow(opened.browser, server)
      await page.goto('/')
      expect(await page.title()).toEndWith('Lantern Games')
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Games by lamplight')
      await page.getByRole('heading', { name: 'By the sea' }).waitFor()
      await waitFor('the game is on the home page', async () => {
        await page.reload()
        return (await page.getByRole('link', { name: 'Harbour of Paper', exact: true }).count()) > 0
      })
      await follow(page, 'Terms of use')
      await page.getByText('Be kind, and keep what you buy.').waitFor()
      expect(problems).toEqual([])
      await context.close()
    })
  })
})
