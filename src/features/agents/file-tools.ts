import { Paged } from '../../http/input/paging.ts'
import { plural } from '../../lib/text/plural.ts'
import { Symbols } from '../builds/symbols/model.ts'
import { listSymbols, removeSymbols } from '../builds/symbols/service.ts'
import { PageImages } from '../listings/images/model.ts'
import { listImages, removeImage } from '../listings/images/service.ts'
import { GameInput, ImageInput, Nothing, SymbolInput, SymbolsInput } from './model.ts'
import { defineTool, pageOf } from './tool.ts'

const listSymbolsTool = defineTool({
  name: 'list_symbols',
  title: 'List symbols',
  description: 'The symbol files of a build, newest first. Crash stacks are resolved with them.',
  scope: 'mcp:builds.read',
  effect: 'read',
  input: SymbolsInput,
  output: Paged(Symbols),
  run: ({ deps }, agent, { game_id, build_id, ...page }) =>
    listSymbols(deps, agent, game_id, build_id, pageOf(page)),
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
