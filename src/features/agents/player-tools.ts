import { Moved } from '../../errors.ts'
import { Paged } from '../../http/input/schema.ts'
import { plural } from '../../lib/text/show.ts'
import { Pending } from '../builds/channels/model.ts'
import { checkModCompat } from '../builds/comparison/service.ts'
import { loadListingFor } from '../catalog/pages/listing.ts'
import { SearchAnswer } from '../catalog/search/model.ts'
import { SearchRequest } from '../catalog/search/request.ts'
import { searchCatalog } from '../catalog/search/service.ts'
import { requestEntry } from '../jams/entries/approval.ts'
import { Jam, JamSummary } from '../jams/jams/model.ts'
import { getJam, listJams } from '../jams/jams/service.ts'
import { loadReport } from '../listings/check/service.ts'
import { ListingSummary } from '../listings/page/model.ts'
import { listListings } from '../listings/page/service.ts'
import { getPressKit } from '../listings/press/service.ts'
import { getStoreLinks } from '../listings/store-links/service.ts'
import {
  AgentListing,
  GameInput,
  JamEntryInput,
  JamInput,
  JamsInput,
  ProjectsInput,
  SearchInput,
} from './model.ts'
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

const listTool = defineTool({
  name: 'list_jams',
  title: 'List jams',
  description: `Public game jams: coming, running, voting or past, what is next first; all of them newest first unless a state is given. ${UNTRUSTED}`,
  scope: 'mcp:catalog.read',
  effect: 'read',
  input: JamsInput,
  output: Paged(JamSummary),
  run: async ({ deps }, _, { state = null, ...page }) => await listJams(deps, state, toPage(page)),
  summarize: ({ items, total, page }) =>
    `${plural(total, 'jam')}; page ${page}: ${items.map(({ slug, state }) => `${slug} (${state})`).join(', ') || 'nothing'}.`,
})

const jamTool = defineTool({
  name: 'get_jam',
  title: 'Read a jam',
  description: `The times, theme, rules, criteria and hosts of a jam, and what changed after its start. ${UNTRUSTED}`,
  scope: 'mcp:catalog.read',
  effect: 'read',
  input: JamInput,
  output: Jam,
  run: async ({ deps }, agent, { jam }) => await getJam(deps, agent, jam),
  summarize: ({ slug, state, ends_at }) => `The jam ${slug} is ${state}; it ends at ${ends_at}.`,
})

const enterJamTool = defineTool({
  name: 'enter_jam',
  title: 'Enter a jam',
  description:
    'Asks the owner of the project to enter it into a jam, with a note for its voters. The result is {"approval": "pending"} until the owner confirms the mailed link, which has to happen before the jam ends. Tell the person to look for that mail; do not call again.',
  scope: 'mcp:builds.write',
  effect: 'change',
  input: JamEntryInput,
  output: Pending,
  run: async ({ deps }, agent, { game_id, jam, note }) => {
    await requestEntry(deps, agent, jam, game_id, note)
    return { approval: 'pending' as const }
  },
  summarize: () =>
    'Waiting for approval: the owner of the project was sent a mail with a link to confirm the entry before the jam ends.',
})

export const JAM_TOOLS = [listTool, jamTool, enterJamTool]
