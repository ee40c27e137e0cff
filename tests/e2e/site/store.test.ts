import { beforeAll, expect, test } from 'bun:test'

import { insertBuild, insertFile, pointChannel } from '../../helpers/builds.ts'
import { verifyEmail } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { type FullListing, publishListing, ZIP_BYTES } from '../../helpers/store-listing.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

describeInBrowser('the store in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  const owner = usePerson(server)
  let full: FullListing
  beforeAll(async () => {
    full = await publishListing(server, owner, { name: 'Lantern Keeper' })
  })

  test('without script: find, exclude, open, claim, download and review', async () => {
    const { path, game } = await publishListing(server, owner, {
      name: 'Moth Harbour',
      anonymousDownloads: false,
    })
    await publishListing(server, owner, { name: 'Moth Harbour in blood', tags: ['gory', 'cozy', 'stars'] })
    const reader = await signUp(server)
    await verifyEmail(server, reader)
    const options = { javaScriptEnabled: false, acceptDownloads: true }
    const { context, page, problems } = await openWindow(opened.browser, server, reader, options)
    await page.goto('/')
    await page.getByRole('searchbox', { name: 'Search games' }).fill('moth harbour')
    await page.keyboard.press('Enter')
    const tags = page.getByRole('group', { name: 'Tags' })
    await tags.getByRole('checkbox', { name: 'Exclude gory' }).check()
    await page.getByRole('button', { name: 'Apply filters' }).click()
    await page.getByRole('link', { name: 'Remove not gory' }).waitFor()
    expect(await page.getByRole('link', { name: 'Moth Harbour in blood' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Moth Harbour', exact: true }).click()
    expect(new URL(page.url()).pathname).toBe(path)
    await page.getByRole('button', { name: 'Get' }).click()
    expect(await page.getByRole('status').textContent()).toContain('in your library')
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const stream = await (await downloading).createReadStream()
    expect(Buffer.concat(await stream.toArray())).toEqual(Buffer.from(ZIP_BYTES))
    await page.getByRole('radio', { name: '5 of 5' }).check()
    await page.getByLabel('Review', { exact: true }).fill('The moths were kind.')
    await page.getByRole('button', { name: 'Write a review' }).click()
    expect(await page.getByRole('status').textContent()).toContain('review is published')
    await page.getByRole('article').getByText('The moths were kind.').first().waitFor()
    await page.getByRole('link', { name: 'Report this page' }).click()
    await page.getByLabel('Reason').selectOption('other')
    await page.getByLabel('What is wrong?').fill('Too many moths.')
    await page.getByRole('button', { name: 'Report this page' }).click()
    expect(new URL(page.url()).pathname).toBe(`/games/${game.vanityName}`)
    expect(problems).toEqual([])
    await context.close()
  })

  test('keyboard alone from home to a download', async () => {
    const { context, page } = await openWindow(opened.browser, server, null, { acceptDownloads: true })
    await page.goto('/')
    await page.keyboard.press('/')
    await page.keyboard.type('lantern')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?find=lantern')
    const focusOn = async (name: RegExp) => {
      for (let presses = 0; presses < 400; presses += 1) {
        await page.keyboard.press('Tab')
        const text = await page.evaluate<string>('document.activeElement?.textContent ?? ""')
        if (name.test(text)) return
      }
      throw new Error(`${name} cannot be reached with Tab`)
    }
    await focusOn(/^Lantern Keeper$/)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${full.path}`)
    await focusOn(/^Download/)
    const downloading = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    expect((await downloading).suggestedFilename()).toBe('game.zip')
    await context.close()
  })

  test('screenshots open in a dialog, change by arrows, and give the focus back', async () => {
    const { context, page } = await openWindow(opened.browser, server, null)
    await page.goto(full.path)
    const first = page.getByRole('link', { name: 'Screenshot 1' })
    await first.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Screenshots' })
    await dialog.getByText('1 of 2').waitFor()
    await page.keyboard.press('ArrowRight')
    await dialog.getByText('2 of 2').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.evaluate<string>("document.activeElement.querySelector('img').alt")).toMatch(
      /^Screenshot 1/,
    )
    await context.close()
  })

  test('a file is compared in the browser, as a whole, as an inner file, or as another one', async () => {
    const inner = new TextEncoder().encode('inner')
    const sha256 = new Bun.CryptoHasher('sha256').update(inner).digest('hex')
    const entries = [{ path: 'bin/inner.dat', size: inner.length, sha256 }]
    const listing = await publishListing(server, owner)
    const build = await insertBuild(server, listing.game.uid, { os: 'windows' })
    await pointChannel(server, build)
    const checksum = new Bun.CryptoHasher('sha256').update(ZIP_BYTES).digest('hex')
    const file = await insertFile(server, build, { checksum }, entries)
    const { context, page, problems } = await openWindow(opened.browser, server, null)
    await page.goto(`${listing.path}/files/${file.uid}`)
    const choose = async (bytes: Uint8Array, verdict: string) => {
      const chosen = { name: 'mine', mimeType: 'application/zip', buffer: Buffer.from(bytes) }
      await page.getByLabel('Choose a file').setInputFiles(chosen)
      await page.getByRole('status').getByText(verdict).waitFor()
    }
    await choose(ZIP_BYTES, 'is exactly this file')
    await choose(inner, 'the same as bin/inner.dat')
    await choose(new Uint8Array(3), 'differs from this file')
    expect(problems).toEqual([])
    await context.close()
  })
})
