import { loadDemoAgent } from '../demo/agents.ts'
import { loadDemoBugs } from '../demo/bugs.ts'
import { loadDemoBuilds } from '../demo/builds.ts'
import { loadBulkCatalog } from '../demo/bulk/load.ts'
import { loadDemoCatalog } from '../demo/catalog.ts'
import { loadDemoCommunity } from '../demo/community.ts'
import { loadDemoJams } from '../demo/jams.ts'
import { loadDemoModeration } from '../demo/moderation.ts'
import { loadDemoSaves } from '../demo/saves.ts'
import { loadDemoDownloads, loadDemoTelemetry } from '../demo/usage.ts'
import type { Deps } from '../deps.ts'
import { DEMO_ACCOUNTS, loadDemoAccounts } from '../features/accounts/demo.ts'
import { demoPassword } from '../features/accounts/passwords/demo-password.ts'
import { updatePopularity } from '../features/catalog/search/popularity.ts'
import { plural } from '../lib/text/show.ts'
import { createProgress } from './context.ts'
import { requireInstallation } from './require-installation.ts'

const COUNT_MAX = 1_000_000

/** Loads the demo data. Idempotent. */
export async function loadDemo(deps: Deps): Promise<string> {
  const accounts = await loadDemoAccounts(deps)
  const listings = await loadDemoCatalog(deps)
  const builds = await loadDemoBuilds(deps)
  await loadDemoTelemetry(deps)
  await loadDemoAgent(deps)
  await loadDemoBugs(deps)
  await loadDemoDownloads(deps)
  await loadDemoModeration(deps)
  await loadDemoCommunity(deps)
  await loadDemoJams(deps)
  await loadDemoSaves(deps)
  await updatePopularity(deps, new Date())
  return accounts + listings + builds === 0
    ? 'The demo data is already loaded.'
    : `Demo data loaded: ${plural(accounts, 'account')}, ${plural(listings, 'listing')}, ${plural(builds, 'build')}.`
}

/** With a count, also generates listings until there are that many. */
export async function runDemo(deps: Deps, count: number | null): Promise<string> {
  await requireInstallation(deps)
  const lines = [await loadDemo(deps)]
  if (count !== null) {
    const added = await loadBulkCatalog(deps, count, createProgress('Loading'))
    lines.push(
      added === 0
        ? `There are already ${plural(count, 'generated listing')}.`
        : `${plural(added, 'generated listing')} added.`,
    )
  }
  return [...lines, describeDemoSignIns(deps)].join('\n')
}

/** The number after `--count`; null without it. */
export function parseCount(options: readonly string[]): number | null {
  const [option, value = '', ...more] = options
  if (option === undefined) return null
  const count = /^[1-9]\d*$/.test(value) ? Number(value) : Number.NaN
  if (option === '--count' && more.length === 0 && count <= COUNT_MAX) return count
  throw new Error(`demo takes --count and a number up to ${COUNT_MAX}, such as: demo --count 100000`)
}

export function describeDemoSignIns(deps: Deps): string {
  const password = demoPassword(deps)
  const rows = DEMO_ACCOUNTS.map(({ name, email }) => `  ${email.padEnd(22)} ${password}   ${name}`)
  return ['Demo sign-ins (e-mail, password):', ...rows].join('\n')
}
