import { expect, test } from 'bun:test'

import { insertPublicGame } from '../helpers/listings.ts'
import { signUp } from '../helpers/people.ts'
import { release } from '../helpers/releases.ts'
import { openWindow } from '../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../helpers/site/use-browser.ts'
import { usePerson, useStore } from '../helpers/store.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }

describeInBrowser('keys in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  const owner = usePerson(server)

  test.each([
    ['a phone, without script', PHONE, false],
    ['a desktop, with script', DESKTOP, true],
  ])('are made, downloaded and redeemed on %s', async (_, viewport, javaScriptEnabled) => {
    const game = await insertPublicGame(server, owner, { priceCents: 999 })
    await release(server, game.uid, { version: '1.0.0' })
    const maker = await openWindow(opened.browser, server, owner, { viewport, javaScriptEnabled })
    await maker.page.goto(`/studio/${game.vanityName}/keys`)
    await maker.page.getByLabel('Label').fill('For testers')
    await maker.page.getByLabel('How many').fill('2')
    await maker.page.getByRole('button', { name: 'Make keys' }).click()
    const [file] = await Promise.all([
      maker.page.waitForEvent('download'),
      maker.page.getByRole('link', { name: 'Download as CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toBe(`${game.vanityName}-keys.csv`)
    const [head, line = ''] = (await Bun.file(await file.path()).text()).split('\r\n')
    expect(head).toBe('code,game,edition,label,expires_at')
    const code = line.split(',')[0] ?? ''
    expect(await maker.page.locator('#new-codes').textContent()).toContain(code)

    const player = await openWindow(opened.browser, server, await signUp(server), {
      viewport,
      javaScriptEnabled,
    })
    await player.page.goto('/library')
    await player.page.getByRole('link', { name: 'Redeem a key' }).click()
    await player.page.getByLabel('Code').fill(code.toLowerCase().replaceAll('-', ' '))
    await player.page.getByRole('button', { name: 'Redeem' }).click()
    await player.page.getByText('Your key is redeemed').waitFor()
    await player.page.getByRole('link', { name: 'Download' }).first().waitFor()

    await maker.page.goto(`/studio/${game.vanityName}/keys`)
    await maker.page.getByText('1 of 2 redeemed, 1 open').waitFor()
    await Promise.all([maker.context.close(), player.context.close()])
  })
})
