import { Moved } from '../../errors.ts'
import { Paged } from '../../http/input/schema.ts'
import { plural } from '../../lib/text/show.ts'
import { checkModCompat } from '../builds/comparison/service.ts'
import { loadListingFor } from '../catalog/pages/listing.ts'
import { SearchAnswer } from '../catalog/search/model.ts'
import { SearchRequest } from '../catalog/search/request.ts'
import { searchCatalog } from '../catalog/search/service.ts'
import { loadReport } from '../listings/check/service.ts'
import { ListingSummary } from '../listings/page/model.ts'
import { listListings } from '../listings/page/service.ts'
import { getPressKit } from '../listings/press/service.ts'
import { getStoreLinks } from '../listings/store-links/service.ts'
import { AgentListing, GameInput, ProjectsInput, SearchInput } from './model.ts'
import { defineTool, toPage, UNTRUSTED } from './tool.ts'

const searchTool = defineTool({
  name: 'search_catalog',
  title: 'Search the catalog',
  description: `Find public listings (games, mods, tools, asset packs, …) by text, tags, platform, engine and more, with counts for each facet. Unknown values of a filter are ignored. ${UNTRUSTED}`,
  scope: 'mcp:catalog.read',
  effect: 'read',
  input: SearchInput,
  output: SearchAnswer,
  run: async ({ search }, agent, input) => {
    const sent = Object.entries<unknown>(input).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    )
    return await searchCatalog(search, agent, SearchRequest.parse(sent))
  },
  summarize: ({ items, total, page }) =>
    `${plural(total, 'listing')} found; page ${page}: ${items.map(({ vanity_name }) => vanity_name).join(', ') || 'nothing'}.`,
})

const listingTool = defineTool({
  name: 'get_listing',
  title: 'Read a listing',
  description: `Everything a store page shows: description, taxonomy, files, health, relations, changelog. The person’s own projects can be read before they are public, and have the report of the listing check as “lint”, the press kit as “press” and the stores that can be linked as “stores”. ${UNTRUSTED}`,
  scope: 'mcp:catalog.read',
  effect: 'read',
  input: GameInput,
  output: AgentListing,
  run: async ({ deps }, agent, { game_id }) => {
    const open = (ref: string) => loadListingFor(deps, agent, ref)
    const { listing, game, role } = await open(game_id).catch((error: unknown) => {
      if (error instanceof Moved) return open(error.to)
      throw error
    })
    if (role === null) return listing
    const [lint, press, links, mod_compat] = await Promise.all([
      loadReport(deps.db, game.uid),
      getPressKit(deps, agent, game.uid),
      getStoreLinks(deps, agent, game.uid),
      checkModCompat(deps, agent, game.uid),
    ])
    const own = { visibility: game.visibility, mod_compat, lint, press }
    return { ...listing, ...links, ...own }
  },
  summarize: ({ vanity_name, visibility, lint }) => {
    const check = lint
      ? ` The listing check found ${plural(lint.errors.length, 'error')} and ${plural(lint.warnings.length, 'warning')}.`
      : ''
    return `The listing ${vanity_name} is ${visibility}.${check}`
  },
})

const projectsTool = defineTool({
  name: 'list_projects',
  title: 'List own projects',
  description:
    'The listings that the person owns or helps run, drafts included. Start here to find the game_id that other tools need.',
  scope: 'mcp:catalog.read',
  effect: 'read',
  input: ProjectsInput,
  output: Paged(ListingSummary),
  run: ({ deps }, agent, input) => listListings(deps, agent, toPage(input)),
  summarize: ({ items, total, page }) =>
    `${plural(total, 'project')}; page ${page}: ${items.map(({ vanity_name, visibility }) => `${vanity_name} (${visibility})`).join(', ') || 'nothing'}.`,
})

export const CATALOG_TOOLS = [searchTool, listingTool, projectsTool]
