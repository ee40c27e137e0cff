import { beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { attestations } from '../../src/db/schema/builds.ts'
import { attestFile } from '../../src/features/builds/attestations/service.ts'
import { signUp } from '../helpers/people.ts'
import { COMMIT } from '../helpers/sign-in/issuer.ts'
import { inspectPage, openWindow } from '../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../helpers/site/use-browser.ts'
import { publishListing } from '../helpers/store-listing.ts'
import { useStore } from '../helpers/store.ts'

const ORIGIN = {
  provider: 'github',
  issuer: 'https://token.actions.githubusercontent.com',
  repository: 'moss/garden',
  commit: COMMIT,
  ref: 'refs/tags/v1.0.0',
  workflow: 'moss/garden/.github/workflows/release.yml@refs/tags/v1.0.0',
  run_url: 'https://github.com/moss/garden/actions/runs/42',
} as const

describeInBrowser('Verify on the page of a file', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  let fileUid: string
  let path: string
  beforeAll(async () => {
    const owner = await signUp(server)
    const source = { source: 'trusted_publisher', origin: ORIGIN } as const
    const listing = await publishListing(server, owner, { name: 'Moss Garden' }, source)
    fileUid = listing.fileUid
    await server.deps.db.transaction((tx) => attestFile(server.deps, tx, fileUid))
    path = `${listing.path}/files/${fileUid}`
  })

  test.each([1280, 390])('checks both statements in the browser, at a width of %d', async (width) => {
    const window = await openWindow(opened.browser, server, null, { viewport: { width, height: 900 } })
    const { context, page, problems } = window
    await page.goto(path)
    const built = page.getByText('Built by moss/garden at 4f2a91c in GitHub Actions')
    expect(await built.count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('✓ The statement is signed by this store and is about exactly this file.').waitFor()
    const statements = await page.locator('[data-statements] li').allTextContents()
    expect(statements.map((text) => text.split(',')[0] ?? '').toSorted()).toEqual([
      'https://playshelf.dev/attestation/scan/v1',
      'https://slsa.dev/provenance/v1',
    ])
    expect(problems).toEqual([])
    expect(await inspectPage(window)).toEqual([])
    await context.close()
  })

  test('a statement that somebody changed is told', async () => {
    const { context, page } = await openWindow(opened.browser, server)
    await page.goto(path)
    await page.route('**/attestation', async (route) => {
      const answer = await route.fetch()
      const [payload = ''] = /"payload":"[^"]+/.exec(await answer.text()) ?? []
      const changed = Buffer.from(payload.slice('"payload":"'.length), 'base64')
        .toString()
        .replace(COMMIT, COMMIT.replaceAll('4', '5'))
        .replace('"clean"', '"clear"')
      const body = (await answer.text()).replace(
        payload,
        `"payload":"${Buffer.from(changed).toString('base64')}`,
      )
      await route.fulfill({ response: answer, body })
    })
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('✗ A statement about this file is not signed by a key of this store.').waitFor()
    await context.close()
  })

  test('a file without a statement says so', async () => {
    const { context, page } = await openWindow(opened.browser, server)
    await page.goto(path)
    await page.route('**/attestation', (route) => route.fulfill({ status: 404, json: {} }))
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('There is no public statement about this file.').waitFor()
    expect(await server.deps.db.$count(attestations, eq(attestations.fileUid, fileUid))).toBe(2)
    await context.close()
  })
})
