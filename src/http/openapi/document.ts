import { toOpenAPIPath } from '@elysiajs/swagger/utils'
import type { InternalRoute } from 'elysia'

import { forLatest, once } from '../../lib/flow/memoize.ts'
import { VERSION } from '../../lib/version.ts'
import { Failure } from '../input/schema.ts'
import { isSharedPath } from '../output/headers.ts'
import { HEADERS } from './failures.ts'
import { describeOperation, SECURITY_SCHEMES } from './operation.ts'
import { toDocumentSchema } from './schemas.ts'
import { type Components, type Document, METHODS, type PathItem, type Tag } from './types.ts'

/** The chapters of the API description, in order. Routes name theirs: `createRoutes(kit, { name, tags: ['Search'] })`. */
const TAGS: readonly Tag[] = [
  { name: 'Search', description: 'Find listings by text, tags, platform, engine and more.' },
  {
    name: 'Catalog',
    description:
      'Public listings and what belongs to them: relations, mods and tools, tags, shelves, the sitemap and the store rules.',
  },
  { name: 'Posts', description: 'What developers write to the players of a listing.' },
  { name: 'Jams', description: 'Game jams: a theme, a deadline, entries, ratings and results.' },
  { name: 'Reviews', description: 'What players say about a listing.' },
  { name: 'Press', description: 'Press kits as a factsheet and as a zip with images.' },
  {
    name: 'Downloads',
    description:
      'Files without signing in, where a project allows it, and the origin and scan history of every file.',
  },
  {
    name: 'Asset library',
    description: 'Packages for game editors. Successful answers are raw objects without the envelope.',
  },
  { name: 'Ingest', description: 'Crash reports and events sent by running games.' },
  {
    name: 'External-store sign-in',
    description:
      'Players sign in with a session ticket of the external game store; servers verify the tokens they got.',
  },
  {
    name: 'Bug reports',
    description: 'Players report bugs from the running game, and learn which of them were fixed.',
  },
  { name: 'Bugs', description: 'The tickets of a game, its bug reporter and its webhooks.' },
  { name: 'Listings', description: 'The pages a developer makes, and everything on them.' },
  {
    name: 'Builds',
    description: 'What a pipeline pushes: builds, files, symbols, and the channels that point at them.',
  },
  { name: 'Library', description: 'What a player owns.' },
  {
    name: 'Saves',
    description: 'Saves of games that follow their player, with history; nothing is overwritten silently.',
  },
  { name: 'Keys', description: 'Codes that a developer gives away, and that players redeem.' },
  {
    name: 'Selling',
    description: 'Buying through Stripe: orders, refunds, and the account that a developer is paid out to.',
  },
  {
    name: 'Installing',
    description: 'For launchers: what a player may install, and only those bytes of it that changed.',
  },
  { name: 'Community tags', description: 'Tags that players suggest.' },
  { name: 'Accounts', description: 'The account behind the website session, and its player keys.' },
  { name: 'API description', description: 'This description, for machines.' },
  { name: 'Operations', description: 'Is the service alive, and can it do its work?' },
]

const OPERATIONAL = new Set(['/health', '/ready'])

const DESCRIPTION = `Search and read the catalog, download what is free, send crash reports, events and bug reports, and sign players in.

Successful answers are \`{"success": true, "data": …}\`, failures \`{"success": false, "error": {"code", "message"}}\`, some with a \`data\` object beside it. Codes are stable; messages are for people. Only the asset library answers with raw objects.

Ids are text. Times are ISO 8601 in UTC with milliseconds, money is in US cents. Lists take \`page\` and \`page_size\`. A JSON body has at most 1 MB, 64 levels and 20,000 values. Credentials travel in headers; cookies are never read here.`

export function isPublicPath(path: string): boolean {
  return isSharedPath(path) || OPERATIONAL.has(path)
}

/** Describes the routes of an app: the public ones, or those that `includes` selects. */
export function buildDocument(
  routes: readonly InternalRoute[],
  baseUrl: string,
  includes: (path: string) => boolean = isPublicPath,
): Document {
  const components: Components = {
    schemas: {},
    responses: {},
    headers: HEADERS,
    securitySchemes: {},
  }
  toDocumentSchema(Failure, 'response', components.schemas)
  const paths = describePaths(
    routes.filter(({ path }) => includes(path)),
    components,
  )
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const tags = new Set(operations.flatMap((operation) => operation.tags))
  const schemes = new Set(operations.flatMap(({ security }) => security.flatMap(Object.keys)))
  components.securitySchemes = pick(SECURITY_SCHEMES, schemes)
  return {
    openapi: '3.1.0',
    info: {
      ...titled('Game store'),
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'This store.' }],
    tags: TAGS.filter(({ name }) => tags.has(name)),
    paths,
    components,
  }
}

/** The document under the name of the store. It is built on first use, when all routes are known. */
export function createDocumentReader(
  app: { routes: readonly InternalRoute[] },
  baseUrl: string,
  readName: () => string,
): () => Document {
  const build = once(() => buildDocument(app.routes, baseUrl))
  const named = forLatest((name: string) => {
    const document = build()
    return { ...document, info: { ...document.info, ...titled(name) } }
  })
  return () => named(readName())
}

function titled(name: string) {
  return { title: name, summary: `The public API of ${name}.` }
}

function describePaths(routes: readonly InternalRoute[], components: Components): Document['paths'] {
  const paths: Document['paths'] = {}
  const sorted = routes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  for (const route of sorted) {
    const method = METHODS.find((name) => name === route.method.toLowerCase())
    if (!method || route.path.includes('*') || route.hooks.detail?.hide) continue
    const item: PathItem = (paths[toOpenAPIPath(route.path)] ??= {})
    item[method] = describeOperation(route, components)
  }
  return paths
}

function pick<Value>(
  table: Readonly<Record<string, Value>>,
  keys: ReadonlySet<string>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(table).filter(([key]) => keys.has(key)))
}
