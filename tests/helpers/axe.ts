import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const SOURCE = await Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text()

/** Lists each violation with its elements; scripts must be enabled in the page. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

export async function scrollsSideways(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  )
}
