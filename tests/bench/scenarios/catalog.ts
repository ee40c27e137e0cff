import { join } from 'node:path'

import { compare } from '../compare.ts'
import {
  bareEnvironment,
  type Environment,
  ROOT,
  type ServerOptions,
  type ServerProcess,
  SERVERS,
  startServerProcess,
} from '../environment.ts'
import { judge, type Line, summarise } from '../report/line.ts'
import type { Scenario } from './scenario.ts'

const BULK = 100_000
/** Below every global rate limit. */
const REQUESTS = 500
const P95_MS = 50

export const listing: Scenario = {
  name: 'listing',
  about: 'the pages of the demo against a bare Elysia route with the same answer',
  run: (environment) => compareListing(environment, 'listing', 0.2),
}

export const listingNotModified: Scenario = {
  name: 'listing-304',
  about: 'the same pages asked for with their ETags, against the bare route that answers in full',
  run: (environment) => compareListing(environment, 'listing-304', 0.35),
}

export const popularTags: Scenario = {
  name: 'popular-tags',
  about: `tags by prefix among ${BULK.toLocaleString('en')} listings`,
  async run(environment) {
    await using server = await startOnBulk(environment)
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    const address = (n: number) =>
      `/api/v1/public/tags/popular?prefix=${letters[n % 27] ?? ''}&limit=${1 + (n % 50)}`
    return [await measureLatency('popular-tags', server.url, address)]
  },
}

export const sitemap: Scenario = {
  name: 'sitemap',
  about: `page after page of the sitemap of ${BULK.toLocaleString('en')} listings`,
  async run(environment) {
    await using server = await startOnBulk(environment)
    const cursors = await readCursors(server.url)
    const address = (n: number) => `/api/v1/public/sitemap?cursor=${cursors[n % cursors.length]}`
    return [await measureLatency('sitemap', server.url, address)]
  },
}

/** Rotates through all pages of the demo. */
async function compareListing(
  environment: Environment,
  scenario: 'listing' | 'listing-304',
  least: number,
): Promise<Line[]> {
  await loadDemo(environment)
  await using ours = await start(await playshelf(environment))
  const pages = await readPages(ours.url)
  await using bare = await start({
    command: [process.execPath, join(SERVERS, 'bare-answer.ts')],
    path: '/',
    env: { ANSWER: pages[0]?.answer ?? '' },
  })
  const variants = pages.map(({ path, etag }) =>
    scenario === 'listing' ? { path } : { path, headers: { 'if-none-match': etag } },
  )
  const comparison = await compare(
    { server: ours, request: { url: ours.url, variants, status: scenario === 'listing' ? 200 : 304 } },
    { server: bare, request: { url: `${bare.url}/`, status: 200 } },
    environment.pace,
  )
  return [
    judge({
      scenario,
      measure: 'requests per CPU second',
      unit: 'req',
      subject: comparison.subject.requestsPerCpuSecond,
      baseline: comparison.baseline.requestsPerCpuSecond,
      ratio: comparison.ratio,
      target: { of: 'ratio', must: 'reach', value: least },
      details: comparison,
    }),
  ]
}

interface Page {
  path: string
  etag: string
  answer: string
}

/** Returns the page of median size first: the bare route responds with that one. */
async function readPages(url: string): Promise<Page[]> {
  const { data } = await readAnswer<{ data: { listings: { uid: string }[] } }>(`${url}/api/v1/public/sitemap`)
  const pages = await Promise.all(
    data.listings.map(async ({ uid }) => {
      const path = `/api/v1/public/games/${uid}`
      const answer = await fetch(url + path)
      return { path, etag: answer.headers.get('etag') ?? '', answer: await answer.text() }
    }),
  )
  const bySize = pages.toSorted((left, right) => left.answer.length - right.answer.length)
  return [...bySize.slice(bySize.length >> 1), ...bySize.slice(0, bySize.length >> 1)]
}

async function readAnswer<Body>(url: string): Promise<Body> {
  return (await (await fetch(url)).json()) as Body
}

let demo: Promise<void> | undefined

/** Once per run. */
export function loadDemo(environment: Environment): Promise<void> {
  return (demo ??= runCommand(environment, ['demo']))
}

async function runCommand(environment: Environment, command: readonly string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), ...command], {
    env: { ...bareEnvironment(), ...(await environment.settings()) },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}

let bulk: Promise<void> | undefined

async function startOnBulk(environment: Environment): Promise<ServerProcess & AsyncDisposable> {
  await (bulk ??= runCommand(environment, ['demo', '--count', String(BULK)]))
  return await start(await playshelf(environment))
}

async function start(options: ServerOptions): Promise<ServerProcess & AsyncDisposable> {
  const server = await startServerProcess(options)
  return { ...server, [Symbol.asyncDispose]: () => server.stop() }
}

async function playshelf(environment: Environment): Promise<ServerOptions> {
  const command = [process.execPath, join(ROOT, 'src/main.ts'), 'serve']
  return { command, path: '/health', env: await environment.settings() }
}

interface SitemapPage {
  data: { next: string | null }
}

async function readCursors(url: string): Promise<string[]> {
  const cursors: string[] = []
  for (let next: string | null = ''; next !== null;) {
    cursors.push(next)
    const page: SitemapPage = await readAnswer(`${url}/api/v1/public/sitemap?cursor=${next}`)
    next = page.data.next
  }
  return cursors
}

/** Sends requests one after the other, so that queueing is not measured. */
async function measureLatency(scenario: string, url: string, address: (n: number) => string): Promise<Line> {
  const times: number[] = []
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    const started = performance.now()
    const answer = await fetch(url + address(sent))
    await answer.arrayBuffer()
    times.push(performance.now() - started)
    if (answer.status !== 200) throw new Error(`${scenario} answered ${answer.status}`)
  }
  const latency = summarise(times)
  return judge({
    scenario,
    measure: 'p95 latency',
    unit: 'ms',
    subject: latency.p95,
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: P95_MS },
    details: latency,
  })
}
