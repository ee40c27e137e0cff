import { join } from 'node:path'

import { readMemory } from '../helpers/processes/process-stats.ts'
import { ROOT, type ServerProcess, startServerProcess } from './environment.ts'
import { type Latency, summarise } from './report/line.ts'
import { inventFinds, inventSearches, inventSuggestions } from './search-data.ts'

/** More than the server caches results for. */
const SEARCHES = 2000
/** Not measured: the JIT compiler is still warming up. */
const WARM_UP = 200
/** Without a snapshot a million listings are read in about a minute. */
const SNAPSHOT_MS = 300_000
const BYTES_PER_MIB = 1024 ** 2

export interface AtRest {
  latency: Latency
  /** Of what people type, and of suggestions while they do. */
  finds: Latency
  suggestions: Latency
  /** From starting the process to its first search, with a snapshot of the index. */
  firstMs: number
  /** The memory that a listing adds to the process. */
  listingBytes: number
  rssMb: number
}

export async function startServer(settings: Record<string, string>): Promise<ServerProcess> {
  const command = [process.execPath, join(ROOT, 'src/main.ts'), 'serve']
  return await startServerProcess({ command, path: '/health', env: settings })
}

/** Starts twice: the first process writes the snapshot that the second one reads. */
export async function measureAtRest(
  settings: Record<string, string>,
  empty: Record<string, string>,
): Promise<AtRest> {
  await writeSnapshot(settings)
  const idleMb = await measureIdle(empty)
  const server = await startServer(settings)
  try {
    const searched = performance.now()
    const listings = await search(`${server.url}/api/v1/public/search`)
    const firstMs = server.startMs + performance.now() - searched
    const paths = await inventSearches(server.url, SEARCHES)
    const times = await timeEach(server.url, paths)
    const finds = await timeEach(server.url, await inventFinds(server.url, SEARCHES))
    const suggestions = await timeEach(server.url, await inventSuggestions(server.url, SEARCHES))
    const rssMb = await readMemory(server.pid, 'VmRSS')
    const listingBytes = ((rssMb - idleMb) * BYTES_PER_MIB) / listings
    const [latency, ofFinds, ofSuggestions] = [times, finds, suggestions].map((all) =>
      summarise(all.slice(WARM_UP)),
    ) as [Latency, Latency, Latency]
    return { latency, finds: ofFinds, suggestions: ofSuggestions, firstMs, listingBytes, rssMb }
  } finally {
    await server.stop()
  }
}

/** Returns the number of matches. */
export async function search(url: string): Promise<number> {
  return (await ask<{ total: number }>(url)).total
}

/** Uses different addresses, to stay below the limits. */
async function ask<Data>(url: string): Promise<Data> {
  sent += 1
  const headers = { 'x-forwarded-for': `10.7.${(sent >> 4) & 255}.7` }
  const response = await fetch(url, { headers })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  return ((await response.json()) as { data: Data }).data
}

let sent = 0

/** One search after the other; goes through the paths once, or for so many seconds. */
export async function timeEach(
  url: string,
  paths: readonly string[],
  seconds: number | null = null,
): Promise<number[]> {
  const times: number[] = []
  const end = seconds === null ? null : performance.now() + seconds * 1000
  for (let at = 0; end === null ? at < paths.length : performance.now() < end; at += 1) {
    const started = performance.now()
    await ask(url + (paths[at % paths.length] ?? ''))
    times.push(performance.now() - started)
  }
  return times
}

async function writeSnapshot(settings: Record<string, string>): Promise<void> {
  const server = await startServer(settings)
  const end = performance.now() + SNAPSHOT_MS
  try {
    while (!(await Bun.file(join(settings['DATA_DIR'] ?? '', 'search-index')).exists())) {
      if (performance.now() > end) throw new Error('The snapshot was never written')
      await Bun.sleep(100)
    }
  } finally {
    await server.stop()
  }
}

/** The memory of a process without listings. */
async function measureIdle(empty: Record<string, string>): Promise<number> {
  const server = await startServer(empty)
  try {
    await timeEach(
      server.url,
      Array.from({ length: WARM_UP }, () => '/api/v1/public/search?q=none'),
    )
    return await readMemory(server.pid, 'VmRSS')
  } finally {
    await server.stop()
  }
}
