import { expect, test } from 'bun:test'

import { createSetupAddress } from '../../../src/features/operate/setup/service.ts'
import { inspectPage, openWindow } from '../../helpers/site/site-checks.ts'
import { addAuthenticator, setUpStore } from '../../helpers/site/steps.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { useStore } from '../../helpers/store.ts'

describeInBrowser('the first start in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })

  test('goes from the printed address to a store with its operator and second factor, without script', async () => {
    const window = await openWindow(opened.browser, server, null, { javaScriptEnabled: false })
    const { page, context } = window
    const looked = await openWindow(opened.browser, server)
    const path = ((await createSetupAddress(server.deps)) ?? '').replace(server.url, '')
    const faults: string[] = []
    for (const address of ['/', path]) {
      await looked.page.goto(address)
      faults.push(...(await inspectPage(looked)).map((fault) => `${address}: ${fault}`))
    }
    await looked.context.close()
    expect(faults).toEqual([])

    await page.goto(path)
    await setUpStore(page)
    expect(await page.title()).toEndWith('Lantern Games')

    await addAuthenticator(page)

    await page.goto('/operate')
    expect(await page.getByRole('heading', { name: /^Before you open/ }).isVisible()).toBe(true)
    await page.goto(path)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('This address does not work')
    await context.close()
  })
})
