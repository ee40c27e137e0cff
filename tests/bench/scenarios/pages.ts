import { join } from 'node:path'

import { openDatabase } from '../../../src/db/client.ts'
import { refreshShelves } from '../../../src/features/catalog/shelves/service.ts'
import { compare } from '../compare.ts'
import { type Environment, ROOT, type ServerProcess, startServerProcess } from '../environment.ts'
import { judge, type Line, summarise } from '../report/line.ts'
import { inventSearches, prepareCatalog } from '../search-data.ts'
import type { Scenario } from './scenario.ts'

const LISTINGS = 100_000
const API = '/api/v1/public'
/** Not measured: the JIT compiler is still warming up. */
const WARM_UP = 100
const REQUESTS = 500
/** Addresses that the load rotates through. */
const COMMON = 50
const P95_MS = 30
const LEAST_RATIO = 0.5
const KB = 1024
const BUDGETS = { html: 20 * KB, script: 12 * KB, css: 14 * KB } as const
/** Stays below the limits of one address. */
const ADDRESSES = 1024
const BROWSER = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0)', 'accept-encoding': 'gzip' }

/** A page and the API route with the same data. */
interface Pair {
  name: string
  pages: string[]
  routes: string[]
}

export const pages: Scenario = {
  name: 'pages',
  about: `home, search and store pages among ${LISTINGS.toLocaleString('en')} listings, against the API's routes`,
  async run(environment) {
    const settings = await prepareCatalog(environment, LISTINGS)
    await fillShelves(settings.DATABASE_URL ?? '')
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: settings,
    })
    try {
      const lines: Line[] = []
      for (const pair of await listPairs(server.url))
        lines.push(...(await measure(environment, server, pair)))
      return lines
    } finally {
      await server.stop()
    }
  },
}

async function fillShelves(databaseUrl: string): Promise<void> {
  const database = openDatabase(databaseUrl, { maxConnections: 2 })
  try {
    await refreshShelves(database, new Date())
  } finally {
    await database.dispose()
  }
}

async function listPairs(url: string): Promise<Pair[]> {
  const searches = await inventSearches(url, REQUESTS)
  const names = await listNames(url)
  return [
    { name: 'home', pages: ['/'], routes: [`${API}/search?sort=newest`] },
    { name: 'search', pages: searches.map((path) => path.slice(API.length)), routes: searches },
    {
      name: 'store page',
      pages: names.map((name) => `/games/${name}`),
      routes: names.map((name) => `${API}/games/${name}`),
    },
  ]
}

/** The best-known listings of the demo first, then generated ones. */
async function listNames(url: string): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: REQUESTS / 50 }, async (_, index) => {
      const response = await fetch(`${url}${API}/search?page_size=50&page=${index * 7 + 1}`)
      return (await response.json()) as { data: { items: { vanity_name: string }[] } }
    }),
  )
  return answers.flatMap(({ data }) => data.items.map(({ vanity_name }) => vanity_name))
}

async function measure(environment: Environment, server: ServerProcess, pair: Pair): Promise<Line[]> {
  const latency = summarise((await timeEach(server.url, pair.pages)).slice(WARM_UP))
  const load = (paths: readonly string[]) => ({
    url: server.url,
    headers: BROWSER,
    addresses: ADDRESSES,
    status: 200,
    variants: paths.slice(0, COMMON).map((path) => ({ path })),
  })
  const comparison = await compare(
    { server, request: load(pair.pages) },
    { server, request: load(pair.routes) },
    environment.pace,
  )
  const scenario = 'pages'
  return [
    judge({
      scenario,
      measure: `${pair.name}: p95 latency`,
      unit: 'ms',
      details: latency,
      subject: latency.p95,
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: P95_MS },
    }),
    judge({
      scenario,
      measure: `${pair.name}: requests per CPU second`,
      unit: 'req',
      details: comparison,
      subject: comparison.subject.requestsPerCpuSecond,
      baseline: comparison.baseline.requestsPerCpuSecond,
      ratio: comparison.ratio,
      target: { of: 'ratio', must: 'reach', value: LEAST_RATIO },
    }),
    ...(await weigh(server.url, pair)),
  ]
}

/** The largest of some pages, in gzip bytes. */
async function weigh(url: string, { name, pages: paths }: Pair): Promise<Line[]> {
  const sizes = await Promise.all(paths.slice(0, COMMON).map((path) => measurePageBytes(url + path)))
  return (['html', 'script', 'css'] as const).map((part) =>
    judge({
      scenario: 'pages',
      measure: `${name}: ${part}, gzip`,
      unit: 'bytes',
      baseline: null,
      subject: Math.max(...sizes.map((size) => size[part])),
      target: { of: 'subject', must: 'stay below', value: BUDGETS[part] },
    }),
  )
}

/** Sends requests one after the other, so that queueing is not measured. */
async function timeEach(url: string, paths: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (let sent = 0; sent < WARM_UP + REQUESTS; sent += 1) {
    const headers = { ...BROWSER, 'x-forwarded-for': `10.8.${(sent >> 4) & 255}.9` }
    const started = performance.now()
    const response = await fetch(url + (paths[sent % paths.length] ?? '/'), { headers })
    await response.arrayBuffer()
    times.push(performance.now() - started)
    if (response.status !== 200) throw new Error(`${response.url} returned ${response.status}`)
  }
  return times
}

interface PageBytes {
  html: number
  script: number
  css: number
}

/** Returns the gzip bytes of a page, its scripts and its styles. */
async function measurePageBytes(url: string): Promise<PageBytes> {
  const html = await (await fetch(url)).text()
  const origin = new URL(url).origin
  const sum = async (pattern: RegExp) => {
    const paths = [...html.matchAll(pattern)].map((match) => match[1] ?? '')
    const sizes = await Promise.all(paths.map((path) => countGzip(origin + path)))
    return sizes.reduce((total, size) => total + size, 0)
  }
  return {
    html: await countGzip(url),
    script: await sum(/<script type="module" src="([^"]+)"/g),
    css: await sum(/<link rel="stylesheet" href="([^"]+)"/g),
  }
}

async function countGzip(url: string): Promise<number> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' }, decompress: false })
  const { byteLength } = await response.arrayBuffer()
  if (response.status !== 200 || response.headers.get('content-encoding') !== 'gzip')
    throw new Error(`${url} was not sent as gzip`)
  return byteLength
}
