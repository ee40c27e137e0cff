import { Paged } from '../../http/input/paging.ts'
import { plural } from '../../lib/text/plural.ts'
import { Channel, RolledBack } from '../builds/channels/model.ts'
import { listChannels, promote, rollback } from '../builds/channels/service.ts'
import { Build } from '../builds/registry/model.ts'
import { deleteBuild, listBuilds } from '../builds/registry/service.ts'
import { BuildInput, GamePageInput, Nothing, Promoted, PromotionInput, RollbackInput } from './model.ts'
import { defineTool, pageOf } from './tool.ts'

const listBuildsTool = defineTool({
  name: 'list_builds',
  title: 'List builds',
  description:
    'The builds of a project, newest first, with platform, channel, files and the state of their scans, and by which engine.',
  scope: 'mcp:builds.read',
  effect: 'read',
  input: GamePageInput,
  output: Paged(Build),
  run: ({ deps }, agent, { game_id, ...page }) => listBuilds(deps, agent, game_id, pageOf(page)),
  summarize: ({ items, total, page }) =>
    `${plural(total, 'build')}; page ${page}: ${items.map(({ version, os, arch }) => `${version} ${os} ${arch}`).join(', ') || 'nothing'}.`,
})

const deleteBuildTool = defineTool({
  name: 'delete_build',
  title: 'Delete a build',
  description:
    'Deletes a build with its files and symbols, for good. Channels that point at it go back to the build before.',
  scope: 'mcp:builds.write',
  effect: 'delete',
  input: BuildInput,
  output: Nothing,
  run: async ({ deps }, agent, { game_id, build_id }) => {
    await deleteBuild(deps, agent, game_id, build_id)
    return {}
  },
  summarize: () => 'The build was deleted.',
})

const listChannelsTool = defineTool({
  name: 'list_channels',
  title: 'List channels',
  description:
    'The build that each channel (stable, beta, dev, …) points at, per app and platform, and who moved it there. Players download what stable points at.',
  scope: 'mcp:builds.read',
  effect: 'read',
  input: GamePageInput,
  output: Paged(Channel),
  run: ({ deps }, agent, { game_id, ...page }) => listChannels(deps, agent, game_id, pageOf(page)),
  summarize: ({ items, page }) =>
    `Page ${page}: ${items.map(({ channel, os, arch, version }) => `${channel} on ${os} ${arch} is ${version}`).join(', ') || 'no channel points at a build'}.`,
})

const promoteTool = defineTool({
  name: 'promote_build',
  title: 'Promote a build',
  description:
    'Points a channel at a build, whose files must be scanned and clean. Promoting to stable releases the build to all players, so it waits for the owner: the result is {"approval": "pending"} until the owner confirms the mailed link. Tell the person to look for that mail; do not call again.',
  scope: 'mcp:builds.write',
  effect: 'change',
  input: PromotionInput,
  output: Promoted,
  run: async ({ deps }, agent, { game_id, channel, ...promotion }) =>
    (await promote(deps, agent, game_id, channel, promotion)) ?? { approval: 'pending' as const },
  summarize: (data) =>
    'approval' in data
      ? 'Waiting for approval: the owner of the project was sent a mail with a link to confirm the release.'
      : `${data.channel} on ${data.os} ${data.arch} is now ${data.version}.`,
})

const rollbackTool = defineTool({
  name: 'rollback_channel',
  title: 'Roll a channel back',
  description:
    'Undoes the newest release of a channel: every platform that shows its version goes back to the build before. Calling it again goes back one release further.',
  scope: 'mcp:builds.write',
  effect: 'undo',
  input: RollbackInput,
  output: RolledBack,
  run: async ({ deps }, agent, { game_id, channel, app }) => ({
    items: await rollback(deps, agent, game_id, channel, app),
  }),
  summarize: ({ items }) =>
    items
      .map(({ channel, os, arch, version }) => `${channel} on ${os} ${arch} is ${version} again.`)
      .join(' '),
})

export const BUILD_TOOLS = [listBuildsTool, deleteBuildTool, listChannelsTool, promoteTool, rollbackTool]
