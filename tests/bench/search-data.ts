import { join } from 'node:path'

import postgres from 'postgres'

import { OPERATING_SYSTEMS } from '../../src/domain/builds/platforms.ts'
import { GENRES } from '../../src/domain/listings/fields.ts'
import { createUid } from '../../src/lib/ids.ts'
import { createRandom } from '../../src/lib/random.ts'
import { EVERYDAY_QUERIES } from '../helpers/search/everyday-queries.ts'
import { bareEnvironment, type Environment, ROOT } from './environment.ts'

/**
 * Databases that already have their listings and index, because making them takes minutes: pairs such as
 * `100000=postgres://…`, separated by spaces.
 */
const CATALOGS = new Map(
  (process.env['BENCH_CATALOGS'] ?? '').split(' ').map((pair) => {
    const at = pair.indexOf('=')
    return [Number(pair.slice(0, at)), pair.slice(at + 1)] as const
  }),
)

/** The address of the database with so many listings, if there is one. */
export function findCatalog(count: number): string | undefined {
  return CATALOGS.get(count)
}

/** Settings of a Playshelf with its own database and the given number of listings in its index. */
export async function prepareCatalog(
  environment: Environment,
  count: number,
  more: Record<string, string> = {},
): Promise<Record<string, string>> {
  const existing = CATALOGS.get(count)
  if (existing) return await environment.settings({ DATABASE_URL: existing, TRUST_PROXY: '1', ...more })
  const settings = await createCatalogSettings(environment, more)
  await runCommand(settings, 'demo', '--count', String(count))
  await runCommand(settings, 'reindex')
  return settings
}

/** The same with an empty database. */
export async function createCatalogSettings(
  environment: Environment,
  more: Record<string, string> = {},
): Promise<Record<string, string>> {
  const url = new URL(await environment.databaseUrl())
  const name = `search_${createUid()}`
  const sql = postgres(url.href, { max: 1, onnotice: () => undefined })
  await sql`create database ${sql(name)}`
  await sql.end()
  url.pathname = `/${name}`
  return await environment.settings({ DATABASE_URL: url.href, TRUST_PROXY: '1', ...more })
}

export async function runCommand(settings: Record<string, string>, ...command: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), ...command], {
    env: { ...bareEnvironment(), ...settings },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}

interface FoundListing {
  name: string
  tagline: string
  taxonomy: { tags: string[] }
}

interface ReadListing extends FoundListing {
  developer: { username: string }
}

/** Typical searches: words, names, typos, prefixes, filters, words with filters, and pages of everything. */
export async function inventSearches(url: string, count: number): Promise<string[]> {
  return inventSearchesFor(await readListings(url), count)
}

/** The same for these listings. */
export function inventSearchesFor(listings: readonly FoundListing[], count: number): string[] {
  const random = createRandom('searches')
  const wordOf = (text: string) => random.pick(text.split(' ').filter(({ length }) => length > 3))
  const ask = (params: Record<string, string>) =>
    `/api/v1/public/search?${new URLSearchParams(params).toString()}`
  return Array.from({ length: count }, (_, number) => {
    const { name, tagline, taxonomy } = random.pick(listings)
    const filters = { genres: random.draw(GENRES, 2).join(','), os: random.pick(OPERATING_SYSTEMS) }
    const tags = random.draw(taxonomy.tags, 2).join(',')
    const page = String(1 + random.below(10))
    const kinds: Record<string, string>[] = [
      { q: wordOf(tagline) },
      { q: name },
      { q: misspell(wordOf(name), random.below(5)) },
      { q: `${wordOf(name)} ${wordOf(tagline).slice(0, 3)}` },
      { q: wordOf(name), genres: filters.genres },
      { tags, page },
      filters,
      { sort: random.pick(['newest', 'updated']), players: String(1 + random.below(4)), page },
    ]
    return ask(kinds[number % kinds.length] ?? {})
  })
}

/** What people type: everyday words, and names, developers and typos of these listings. */
export async function inventFinds(url: string, count: number): Promise<string[]> {
  const random = createRandom('finds')
  const listings = await readListings(url)
  const everyday = EVERYDAY_QUERIES.flatMap(({ query, isGeneric }) => (isGeneric ? query : []))
  return Array.from({ length: count }, (_, number) => {
    const { name, developer } = random.pick(listings)
    const word = random.pick(name.split(' '))
    const kinds = [
      random.pick(everyday),
      `${random.pick(everyday)} ${word.slice(0, 3)}`,
      name,
      misspell(word, random.below(5)),
      developer.username,
      `${random.pick(GENRES)} -${random.pick(GENRES)}`,
    ]
    return `/api/v1/public/search?${new URLSearchParams({ find: kinds[number % kinds.length] ?? '' }).toString()}`
  })
}

/** What the box asks while names, developers and everyday words are typed into it. */
export async function inventSuggestions(url: string, count: number): Promise<string[]> {
  const random = createRandom('suggestions')
  const listings = await readListings(url)
  return Array.from({ length: count }, () => {
    const { name, developer } = random.pick(listings)
    const text = random.pick([name, developer.username, random.pick(EVERYDAY_QUERIES).query])
    const typed = text.slice(0, 2 + random.below(Math.max(1, text.length - 2)))
    return `/api/v1/public/search/suggest?${new URLSearchParams({ q: typed }).toString()}`
  })
}

function misspell(word: string, at: number): string {
  return word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2)
}

async function readListings(url: string): Promise<ReadListing[]> {
  const pages = await Promise.all(
    Array.from({ length: 20 }, async (_, page) => {
      const answer = await fetch(`${url}/api/v1/public/search?sort=newest&page_size=50&page=${page * 9 + 1}`)
      const { data } = (await answer.json()) as { data: { items: ReadListing[] } }
      return data.items
    }),
  )
  return pages.flat()
}
