import { POST_TEXT_MAX, POST_TITLE_MAX } from '../../domain/posts.ts'
import { Paged } from '../../http/input/schema.ts'
import { plural } from '../../lib/text/show.ts'
import { Channel, Pending, RolledBack } from '../builds/channels/model.ts'
import { listChannels, promote, rollback } from '../builds/channels/service.ts'
import { Build } from '../builds/registry/model.ts'
import { deleteBuild, listBuilds } from '../builds/registry/service.ts'
import { Symbols } from '../builds/symbols/model.ts'
import { listSymbols, removeSymbols } from '../builds/symbols/service.ts'
import { requestPublication, writeDraft } from '../community/posts/drafts.ts'
import { Post } from '../community/posts/model.ts'
import { PageImages } from '../listings/images/model.ts'
import { listImages, removeImage } from '../listings/images/service.ts'
import {
  BuildInput,
  DraftInput,
  GameInput,
  GamePageInput,
  ImageInput,
  Nothing,
  PostRefInput,
  Promoted,
  PromotionInput,
  RollbackInput,
  SymbolInput,
  SymbolsInput,
} from './model.ts'
import { defineTool, toPage, UNTRUSTED } from './tool.ts'

const listBuildsTool = defineTool({
  name: 'list_builds',
  title: 'List builds',
  description:
    'The builds of a project, newest first, with platform, channel, files and the state of their scans, and by which engine.',
  scope: 'mcp:builds.read',
  effect: 'read',
  input: GamePageInput,
  output: Paged(Build),
  run: ({ deps }, agent, { game_id, ...page }) => listBuilds(deps, agent, game_id, toPage(page)),
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
  run: ({ deps }, agent, { game_id, ...page }) => listChannels(deps, agent, game_id, toPage(page)),
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

const listSymbolsTool = defineTool({
  name: 'list_symbols',
  title: 'List symbols',
  description: 'The symbol files of a build, newest first. Crash stacks are resolved with them.',
  scope: 'mcp:builds.read',
  effect: 'read',
  input: SymbolsInput,
  output: Paged(Symbols),
  run: ({ deps }, agent, { game_id, build_id, ...page }) =>
    listSymbols(deps, agent, game_id, build_id, toPage(page)),
  summarize: ({ total }) => `${plural(total, 'symbol file')}.`,
})

const deleteSymbolsTool = defineTool({
  name: 'delete_symbols',
  title: 'Delete symbols',
  description: 'Deletes a symbol file of a build, for good. New crashes in its module stay unresolved.',
  scope: 'mcp:builds.write',
  effect: 'delete',
  input: SymbolInput,
  output: Nothing,
  run: async ({ deps }, agent, { game_id, build_id, uid }) => {
    await removeSymbols(deps, agent, game_id, uid, build_id)
    return {}
  },
  summarize: () => 'The symbols were deleted.',
})

const listImagesTool = defineTool({
  name: 'list_images',
  title: 'List images',
  description: 'The cover, thumbnail and gallery of a project, with their addresses and sizes.',
  scope: 'mcp:builds.read',
  effect: 'read',
  input: GameInput,
  output: PageImages,
  run: ({ deps }, agent, { game_id }) => listImages(deps, agent, game_id),
  summarize: ({ cover, thumbnail, gallery }) =>
    `${cover ? 'A' : 'No'} cover, ${thumbnail ? 'a' : 'no'} thumbnail, ${plural(gallery.length, 'gallery image')}.`,
})

const deleteImageTool = defineTool({
  name: 'delete_image',
  title: 'Delete an image',
  description:
    'Deletes an image of a project’s page, for good. Refused when a public page would no longer pass the listing check, for example without its cover.',
  scope: 'mcp:builds.write',
  effect: 'delete',
  input: ImageInput,
  output: Nothing,
  run: async ({ deps }, agent, { game_id, uid }) => {
    await removeImage(deps, agent, game_id, uid)
    return {}
  },
  summarize: () => 'The image was deleted.',
})

export const FILE_TOOLS = [listSymbolsTool, deleteSymbolsTool, listImagesTool, deleteImageTool]

const writePostTool = defineTool({
  name: 'write_post',
  title: 'Write a draft of a post',
  description: `Writes a draft of a post to the players of a project, or changes one that is still a draft. The title has up to ${POST_TITLE_MAX} characters and is needed for a new one; the Markdown has up to ${POST_TEXT_MAX}. What is not sent stays as it is. Nothing is public until the post is published. ${UNTRUSTED}`,
  scope: 'mcp:posts',
  effect: 'append',
  input: DraftInput,
  output: Post,
  run: ({ deps }, agent, { game_id, post_uid, ...patch }) =>
    writeDraft(deps, agent, game_id, post_uid, patch),
  summarize: ({ uid }) => `The draft is saved as ${uid}. It is public once publish_post was approved.`,
})

const publishPostTool = defineTool({
  name: 'publish_post',
  title: 'Publish a post',
  description:
    'Asks the owner of the project to publish a draft. The result is {"approval": "pending"} until the owner confirms the mailed link; changing the draft ends the request. Tell the person to look for that mail; do not call again.',
  scope: 'mcp:posts',
  effect: 'change',
  input: PostRefInput,
  output: Pending,
  run: async ({ deps }, agent, { game_id, post_uid }) => {
    await requestPublication(deps, agent, game_id, post_uid)
    return { approval: 'pending' as const }
  },
  summarize: () =>
    'Waiting for approval: the owner of the project was sent a mail with a link to publish the post.',
})

export const POST_TOOLS = [writePostTool, publishPostTool]
