import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { AppError } from '../../../src/errors.ts'
import { settingsOf } from '../../../src/features/settings/reader.ts'
import { failurePages } from '../../../src/site/kit/error-page.tsx'
import { drawPng, send } from '../../helpers/files/pictures.ts'
import type { Person } from '../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { inspectPage, type KnownColours, openWindow } from '../../helpers/site/site-checks.ts'
import { fillSite, type SiteData } from '../../helpers/site/site-data.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'

/** A page, and what to do there before it is looked at. */
type State = [path: string, act?: (page: Page) => Promise<unknown>]

const press = (name: string) => (page: Page) => page.getByRole('button', { name }).click()

/** Leaves one operation of each method, with all its parts open: axe would take a minute for all of them. */
const shortenReference = (page: Page) =>
  page.evaluate(`{
    const methods = new Set()
    for (const operation of document.querySelectorAll('.docs .operation')) {
      const [method] = operation.dataset.search.split(' ')
      if (methods.has(method)) operation.remove()
      methods.add(method)
    }
    for (const details of document.querySelectorAll('.docs details')) details.open = true
  }`)

const filterReference = (page: Page) =>
  page.getByRole('searchbox', { name: 'Filter operations' }).fill('post')

const GUEST_STATES = (data: SiteData): State[] => [
  ['/'],
  ['/search'],
  ['/search?tags=cozy&exclude_tags=horror&price=free&exclude_inputs=vr&released=year&sort=popular'],
  ['/search?q=nothing-fits&tags=cozy'],
  ['/search?find=cozy+-horror'],
  ['/search?page=99'],
  ['/search?collection=rainy-days'],
  ['/collections'],
  ['/collections?page=9'],
  ['/collections/rainy-days'],
  [data.full.path],
  [data.full.path, (page) => page.getByRole('link', { name: 'Screenshot 1' }).click()],
  [data.hostile.path],
  [data.adult.path],
  [data.paid.path],
  [data.scanning],
  [`${data.hostile.path}/files/${data.hostile.fileUid}`],
  [`${data.hostile.path}/files/${data.hostile.fileUid}?q=nothing`],
  [`${data.hostile.path}/reviews`],
  [`${data.paid.path}/reviews`],
  [`${data.hostile.path}/changelog`],
  [`${data.scanning}/changelog`],
  [`${data.full.path}/files`],
  [`${data.hostile.path}/files`],
  [`${data.full.path}/posts`],
  [`${data.hostile.path}/posts`],
  [`${data.hostile.path}/posts/${data.postSlug}`],
  [`/embed/${data.full.game.vanityName}`],
  [`/embed/${data.hostile.game.vanityName}`],
  [`${data.full.path}/mods`],
  [`${data.paid.path}/mods`],
  [`${data.hostile.path}/press`],
  [`${data.hostile.path}/play`],
  [`${data.paid.path}/play`],
  [`${data.full.path}/report`],
  [`/developers/${data.makerName}`],
  ['/rules'],
  ['/games/no-such-page'],
]

const ACCOUNT_STATES = (data: SiteData): State[] => [
  ['/sign-in'],
  [
    '/sign-in',
    async (page) => {
      await page.getByLabel('E-mail').fill('nobody@example.org')
      await page.getByLabel('Password').fill('not the password')
      await press('Sign in')(page)
    },
  ],
  ['/sign-up'],
  ['/sign-up', press('Create account')],
  ['/forgot'],
  ['/forgot?done=sent'],
  ['/reset'],
  ['/reset?token=x'],
  ['/setup?token=x'],
  ['/verify'],
  [`/oauth/consent?client_id=${data.clientId}&redirect_uri=http://127.0.0.1:39999/cb&scope=player:read`],
  ['/oauth/consent'],
  ['/approvals/none'],
]

const PLAYER_STATES = (data: SiteData): State[] => [
  ['/'],
  ['/search?show_hidden=true'],
  [data.full.path],
  [
    data.full.path,
    async (page) => {
      await page.getByLabel('Your tags').fill('a,b,c,d,e,f')
      await press('Suggest tags')(page)
    },
  ],
  [data.hostile.path],
  [data.adult.path],
  [`${data.full.path}/report`],
  ['/library'],
  ['/library?q=nothing'],
  ['/notices'],
  ['/notices?kind=price'],
  ['/following'],
  ['/following', (page) => page.locator('.more-acts summary').first().click()],
  ['/following?kind=developers'],
  ['/wishlist'],
  ['/wishlist', press('Share')],
  [`/library/${data.full.game.vanityName}/saves`],
  [`/library/${data.hostile.game.vanityName}/saves?slot=main`],
  [`/library/${data.full.game.vanityName}/saves`, press('Delete all saves')],
  ['/redeem'],
  ['/redeem', press('Redeem')],
  ['/account'],
  ['/account/profile'],
  ['/account/profile', press('Upload picture')],
  ['/account/security'],
  ['/account/privacy'],
  ['/account/notices'],
  ['/account/keys', press('Create key')],
  ['/account/data', press('Delete account')],
  ['/dashboard/invites'],
]

const NEWCOMER_STATES: State[] = [
  ['/library'],
  ['/notices'],
  ['/following'],
  ['/wishlist'],
  ['/studio'],
  ['/verify'],
  ['/verify?token=x'],
  ['/dashboard/invites'],
]

/** Everything a developer can show, with hostile texts. */
async function showProfile({ maker, full }: SiteData): Promise<void> {
  await maker.json('PATCH', '/api/v1/private/me', {
    display_name: '<b>Lampes & Fils</b> مصباح',
    bio: '# One\n\n#### Two\n\n<script>alert(1)</script> [a](javascript:alert(1))',
    links: [{ label: '"><i>x', url: `https://a.example/${'x'.repeat(200)}` }],
    featured: full.game.uid,
  })
  for (const kind of ['picture', 'banner'])
    await send(maker, `/api/v1/private/me/${kind}`, await drawPng(800, 200))
}

describeInBrowser('axe, 400 % zoom and the console have nothing to say about', () => {
  let server: TestServer
  let empty: TestServer
  const opened = useBrowser()
  let data: SiteData
  const known: KnownColours = new Set()
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1' })
    empty = await startTestServer()
    data = await fillSite(server)
    await showProfile(data)
  })
  afterAll(async () => {
    await Promise.all([server.stop(), empty.stop()])
  })

  async function inspect(
    states: readonly State[],
    person: Person | null = null,
    on = server,
  ): Promise<string[]> {
    const window = await openWindow(opened.browser, on, person)
    const faults: string[] = []
    for (const [path, act] of states) {
      await window.page.goto(path)
      await act?.(window.page)
      await window.page.waitForLoadState()
      faults.push(...(await inspectPage(window, undefined, known)).map((fault) => `${path}: ${fault}`))
    }
    await window.context.close()
    return faults
  }

  test('what a guest sees', async () => {
    expect(await inspect(GUEST_STATES(data))).toEqual([])
  })

  test('the API reference', async () => {
    const filter = (page: Page) => shortenReference(page).then(() => filterReference(page))
    expect(
      await inspect([
        ['/docs', shortenReference],
        ['/docs', filter],
      ]),
    ).toEqual([])
  })

  test('signing in and up', async () => {
    expect(await inspect(ACCOUNT_STATES(data))).toEqual([])
  })

  test('what a player sees', async () => {
    expect(await inspect(PLAYER_STATES(data), data.player)).toEqual([])
  })

  test('what a newcomer and a maker see', async () => {
    expect(await inspect(NEWCOMER_STATES, data.newcomer)).toEqual([])
    expect(await inspect([[data.draft], [data.full.path], ['/studio']], data.maker)).toEqual([])
  })

  test('the pages of failures', async () => {
    const { failure } = failurePages(
      server.url,
      () => settingsOf(server.deps).storefront(),
      () => true,
    )
    const window = await openWindow(opened.browser, server)
    const faults: string[] = []
    for (const kind of ['forbidden', 'rate_limited', 'internal', 'service_down'] as const) {
      const request = new Request(`${server.url}/failing`)
      const answer = failure(new AppError(kind), request, {
        headers: { 'x-request-id': crypto.randomUUID() },
      })
      const [status, body] = [answer.status, await answer.text()]
      await window.page.route('**/failing', (route) =>
        route.fulfill({ status, body, contentType: 'text/html; charset=utf-8' }),
      )
      await window.page.goto('/failing')
      await window.page.getByRole('heading', { level: 1 }).waitFor()
      faults.push(...(await inspectPage(window, undefined, known)).map((fault) => `${status}: ${fault}`))
      await window.page.unrouteAll()
    }
    await window.context.close()
    expect(faults).toEqual([])
  })

  test('an empty store', async () => {
    expect(await inspect([['/'], ['/search']], null, empty)).toEqual([])
  })
})
