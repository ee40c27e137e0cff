import type { AgentScope } from '../../../src/domain/actor.ts'
import { insertTicket } from '../authorization/authorization-bug-cases.ts'
import { insertCrash, insertStableFile, insertSymbols } from '../authorization/authorization-build-cases.ts'
import { type Case, insertImage, type Params, type Setting } from '../authorization/authorization-cases.ts'
import { insertPost } from '../authorization/authorization-post-cases.ts'
import { insertJam } from '../jams/jams.ts'
import { release } from '../releases.ts'

export interface ToolCase {
  scope: AgentScope
  need: Case['need']
  /** Valid arguments besides game_id, so that the result depends only on the caller. */
  args?: (setting: Setting) => Promise<Params>
  /** For tools that are not about one listing. */
  namesNoGame?: true
}

const build = async (setting: Setting): Promise<Params> => {
  const { build_id = '' } = await insertStableFile(setting)
  return { build_id }
}
const symbol = async (setting: Setting): Promise<Params> => {
  const { symbol_uid: uid = '', build_id = '' } = await insertSymbols(setting)
  return { uid, build_id }
}
const crash = async (setting: Setting): Promise<Params> => {
  const { build_id = '' } = await insertCrash(setting)
  return { build_id }
}
const image = async (setting: Setting): Promise<Params> => {
  const { image_uid: uid = '' } = await insertImage(setting)
  return { uid }
}
const post = async (setting: Setting): Promise<Params> => {
  const { post_uid = '' } = await insertPost(setting)
  return { post_uid }
}
const jam = async ({ server }: Setting): Promise<Params> => ({ jam: (await insertJam(server)).uid })
const runningJam = async ({ server }: Setting): Promise<Params> => ({
  jam: (await insertJam(server, { state: 'running' })).uid,
})
const ticket = async (setting: Setting): Promise<Params> => {
  const { ticket_uid = '' } = await insertTicket(setting)
  return { ticket_uid, status: 'fixed', note: 'See the lamp.' }
}
/** Two releases, so that there is something to go back to. */
const channel = async (setting: Setting): Promise<Params> => {
  await insertReleases(setting)
  return { channel: 'beta' }
}

/** Every tool. The test fails for a tool that is missing here. */
export const TOOL_CASES: Record<string, ToolCase> = {
  search_catalog: { scope: 'mcp:catalog.read', need: 'account', namesNoGame: true },
  get_listing: { scope: 'mcp:catalog.read', need: 'see' },
  list_projects: { scope: 'mcp:catalog.read', need: 'account', namesNoGame: true },
  list_jams: { scope: 'mcp:catalog.read', need: 'account', namesNoGame: true },
  get_jam: { scope: 'mcp:catalog.read', need: 'account', namesNoGame: true, args: jam },
  enter_jam: { scope: 'mcp:builds.write', need: 'edit', args: runningJam },
  list_builds: { scope: 'mcp:builds.read', need: 'edit' },
  delete_build: { scope: 'mcp:builds.write', need: 'edit', args: build },
  list_channels: { scope: 'mcp:builds.read', need: 'edit' },
  promote_build: {
    scope: 'mcp:builds.write',
    need: 'edit',
    args: async (setting) => ({ ...(await build(setting)), channel: 'beta' }),
  },
  rollback_channel: { scope: 'mcp:builds.write', need: 'edit', args: channel },
  list_symbols: { scope: 'mcp:builds.read', need: 'edit', args: build },
  delete_symbols: { scope: 'mcp:builds.write', need: 'edit', args: symbol },
  list_images: { scope: 'mcp:builds.read', need: 'edit' },
  delete_image: { scope: 'mcp:builds.write', need: 'edit', args: image },
  write_post: { scope: 'mcp:posts', need: 'edit', args: async () => ({ title: 'News' }) },
  publish_post: { scope: 'mcp:posts', need: 'edit', args: post },
  get_build_health: { scope: 'mcp:health.read', need: 'edit', args: build },
  list_crashes: { scope: 'mcp:crash.read', need: 'edit', args: crash },
  get_bug_reporter: { scope: 'mcp:bugs.read', need: 'edit' },
  list_bug_tickets: { scope: 'mcp:bugs.read', need: 'edit', args: async () => ({ status: 'open' }) },
  set_bug_reporter: { scope: 'mcp:bugs.write', need: 'edit' },
  update_bug_ticket: { scope: 'mcp:bugs.write', need: 'edit', args: ticket },
  report_bug: { scope: 'mcp:bugs.write', need: 'see', args: async () => ({ message: 'The lamp is dark.' }) },
}

async function insertReleases({ server, game }: Setting): Promise<void> {
  for (const version of ['1.0.0', '2.0.0']) await release(server, game.uid, { version, channel: 'beta' })
}
