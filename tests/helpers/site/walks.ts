import { afterAll, beforeAll, describe, test } from 'bun:test'

import { type Tab, type Walker, WALKERS } from './tabs.ts'

/** Every walk starts in a tab of its own; the browser keeps its cookies. */
export function walkInBrowsers(walks: Readonly<Record<string, (tab: Tab) => Promise<void>>>): void {
  describe.each(Object.entries(WALKERS))('in %s', (name, open) => {
    const isMissing = open === null
    if (isMissing && process.env.REQUIRE_ENGINES === '1') throw new Error(`${name} is required and not there`)

    let walker: Walker
    beforeAll(async () => {
      if (open !== null) walker = await open()
    })
    afterAll(() => walker?.close())

    test.skipIf(isMissing).each(Object.entries(walks))('%s', async (_, walk) => {
      await walk(await walker.openTab())
    })
  })
}
