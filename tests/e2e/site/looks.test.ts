import { beforeAll, expect, test } from 'bun:test'

import { runSettings } from '../../../src/commands/settings.ts'
import { insertGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { indexNow } from '../../helpers/search/search.ts'
import { dressStore, LOOKS, settingsFileOf, SHOWN } from '../../helpers/site/dress-store.ts'
import { DEVICE_VIEWS, inspectPage, type KnownColours, openWindow } from '../../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { publishListing } from '../../helpers/store-listing.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const ADDRESSES = {
  studio: ['/pages/about', '/collections/for-one-evening'],
  jam: ['/pages/take-part', '/collections/winners-of-2025'],
  museum: ['/pages/visit', '/collections/room-1-sea-and-shore'],
} as const

describeInBrowser('stores that look different', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  const operator = usePerson(server, signUpOperator)
  beforeAll(async () => {
    const names = new Set(LOOKS.flatMap((look) => SHOWN[look]).flatMap(({ games }) => games))
    for (const vanityName of names) {
      const name = vanityName.replaceAll('-', ' ')
      const facts = { vanityName, name, tagline: `About ${name}`, visibility: 'public' } as const
      // One of those at the top has all its parts and pictures.
      if (vanityName === 'the-last-ferry') await publishListing(server, operator, facts)
      else await indexNow(server, (await insertGame(server, operator, facts)).uid)
    }
  })

  test.each([...LOOKS])(
    'a %s is for everyone, on phones, tablets and desktops, in both themes',
    async (look) => {
      const file = settingsFileOf(look)
      expect(await runSettings(server.deps, ['import', file, '--yes'], { print: () => undefined })).toContain(
        'are changed',
      )
      await dressStore(operator, opened.browser, look)
      const window = await openWindow(opened.browser, server)
      const faults: string[] = []
      const known: KnownColours = new Set()
      for (const path of ['/', '/games/the-last-ferry', '/search', ...ADDRESSES[look], '/sign-up']) {
        expect((await window.page.goto(path))?.status()).toBe(200)
        const found = await inspectPage(window, DEVICE_VIEWS, known)
        faults.push(...found.map((fault) => `${path}: ${fault}`))
      }
      await window.context.close()
      expect(faults).toEqual([])
    },
  )
})
