import { beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import type { Sitemap } from '../../../../src/features/catalog/pages/model.ts'
import { loadSitemap, parseSitemapCursor } from '../../../../src/features/catalog/pages/sitemap.ts'
import { type Statement, watchStatements } from '../../../helpers/catalog.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const LISTINGS = 12_000
const DEVELOPERS = 300
const PATH = '/api/v1/public/sitemap'

const server = useStore({ TRUST_PROXY: '1' })
const hermit = usePerson(server)

beforeAll(async () => {
  const { db } = server.deps
  await db.execute(sql`
    insert into users (id, name, email, username)
    select gen_random_uuid(), 'Dev ' || n, 'dev' || n || '@example.org', 'dev-' || n
    from generate_series(0, ${sql.raw(String(DEVELOPERS - 1))}) as n`)
  await db.execute(sql`
    insert into games (uid, owner_uid, asset_type, visibility, name, vanity_name, published_at)
    select ${uidOf(0)}, owner.id, 'game', 'public', 'Game ' || n, 'game-' || n, now()
    from generate_series(1, ${sql.raw(String(LISTINGS))}) as n
    join users as owner on owner.username = 'dev-' || n % ${sql.raw(String(DEVELOPERS))} order by n`)
  // As many again that are not in the sitemap, so that its own index is clearly the cheapest.
  await db.execute(sql`
    insert into games (uid, owner_uid, asset_type, visibility, name, vanity_name)
    select ${uidOf(LISTINGS)}, owner.id, 'game', 'draft', 'Draft ' || n, 'draft-' || n
    from generate_series(1, ${sql.raw(String(LISTINGS))}) as n
    join users as owner on owner.username = 'dev-' || n % ${sql.raw(String(DEVELOPERS))} order by n`)
  for (const visibility of ['draft', 'owner', 'invisible'] as const) {
    await insertGame(server, hermit, { visibility })
  }
  await insertGame(server, hermit, { visibility: 'public', indexable: false })
  await db.execute(sql`analyze games, users`)
})

async function walk(): Promise<Sitemap[]> {
  const pages: Sitemap[] = []
  for (let next: string | null = ''; next !== null; next = pages.at(-1)?.next ?? null) {
    pages.push(await readData<Sitemap>(await server.fetch(`${PATH}?cursor=${next}`)))
  }
  return pages
}

describe('the sitemap', () => {
  test('names every indexable public listing and its developers once, 5,000 a page', async () => {
    const pages = await walk()
    expect(pages.map(({ listings, developers }) => listings.length + developers.length)).toEqual([
      5000, 5000, 2300,
    ])
    const listings = pages.flatMap((page) => page.listings)
    const developers = pages.flatMap((page) => page.developers)
    expect(new Set(listings.map(({ uid }) => uid)).size).toBe(LISTINGS)
    expect(new Set(developers.map(({ username }) => username)).size).toBe(DEVELOPERS)
    expect(listings.every(({ vanity_name }) => vanity_name.startsWith('game-'))).toBe(true)
    expect(developers.every(({ username }) => username.startsWith('dev-'))).toBe(true)
  })

  test('gives the address and the last change of each', async () => {
    const { listings, developers } = await loadSitemap(server.deps, parseSitemapCursor(undefined))
    const { baseUrl } = server.deps.config
    const [listing] = listings
    expect(listing?.url).toBe(`${baseUrl}/games/${listing?.vanity_name}`)
    expect(listing?.updated_at).toMatch(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
    expect(developers).toEqual([])
    const [developer] = (await walk()).at(-1)?.developers ?? []
    expect(developer?.url).toBe(`${baseUrl}/developers/${developer?.username}`)
  })

  // Before the tests that change listings: where the new rows go depends on when the database tidies up.
  test('never reads the table of listings from end to end', async () => {
    // Indexes alone answer only for pages that nobody reads an older version of.
    await waitFor('all rows are visible to everyone', async () => {
      await server.deps.db.execute(sql`vacuum analyze games`)
      const [table] = await server.deps.db.execute<{ isVisible: boolean }>(sql`
        select relallvisible = relpages as "isVisible" from pg_class where oid = 'games'::regclass`)
      return table?.isVisible
    })
    const pages: (string | undefined)[] = [undefined, (await walk())[1]?.next ?? undefined]
    for (const cursor of pages) {
      const statements = await watchStatements(server, () =>
        loadSitemap(server.deps, parseSitemapCursor(cursor)),
      )
      const plans = await Promise.all(statements.map(explain))
      expect(plans.join('\n')).toMatch(/games_sitemap/)
      expect(plans.join('\n')).not.toMatch(/Seq Scan on games/)
    }
  })

  // Before the tests that change listings: the page may be read anew between the two requests.
  test('is kept for seconds only, and limited', async () => {
    const answer = await server.fetch(PATH)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=5, must-revalidate')
    expect(answer.headers.get('ratelimit-limit')).toBe('120')
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
    expect((await server.fetch(PATH, { headers })).status).toBe(304)
  })

  test("a developer's last change is the newest among the indexed listings", async () => {
    const { db } = server.deps
    await db.execute(
      sql`update games set updated_at = '2030-01-02T03:04:05.678Z' where vanity_name = 'game-7'`,
    )
    await db.execute(sql`update games set updated_at = '2031-01-01' where owner_uid = ${hermit.uid}`)
    const developers = await readDevelopers()
    expect(developers.find(({ username }) => username === 'dev-7')?.updated_at).toBe(
      '2030-01-02T03:04:05.678Z',
    )
  })

  test('ends when the last page is exactly full', async () => {
    const { db } = server.deps
    const rest = sql`(select uid from games where vanity_name like 'game-%' order by uid offset 5000)`
    await db.execute(sql`update games set indexable = false where uid in ${rest}`)
    const first = await loadSitemap(server.deps, parseSitemapCursor(undefined))
    expect([first.listings.length, first.developers.length]).toEqual([5000, 0])
    const second = await loadSitemap(server.deps, parseSitemapCursor(first.next ?? ''))
    expect([second.listings.length, second.developers.length, second.next]).toEqual([0, DEVELOPERS, null])
    await db.execute(sql`update games set indexable = true where vanity_name like 'game-%'`)
    await db.execute(sql`analyze games`)
  })

  test.each([
    ['no base64', '%%%'],
    ['a made-up word', 'nonsense'],
    ['an unknown part', cursorOf('players 01890000-0000-7000-8000-000000000000')],
    ['no uid', cursorOf('listings 7')],
    ['more behind it', cursorOf('listings 01890000-0000-7000-8000-000000000000 or true')],
    ['a very long one', 'A'.repeat(4000)],
  ])('a cursor with %s is 400/4000', async (_, cursor) => {
    const failure = await readFailure(await server.fetch(`${PATH}?cursor=${encodeURIComponent(cursor)}`))
    expect(failure).toMatchObject({ status: 400, code: 4000 })
  })
})

/** Ascending, as real ones are, so that an index reads the table from the start to the end. */
const uidOf = (behind: number) =>
  sql`('01890000-0000-7000-8000-' || lpad(to_hex(${sql.raw(String(behind))} + n), 12, '0'))::uuid`

function cursorOf(text: string): string {
  return Buffer.from(text).toString('base64url')
}

async function readDevelopers(): Promise<Sitemap['developers']> {
  const start = cursorOf('developers ffffffff-ffff-ffff-ffff-ffffffffffff')
  return (await loadSitemap(server.deps, parseSitemapCursor(start))).developers
}

/** The plan of a statement as the server sent it. */
async function explain({ text, values }: Statement): Promise<string> {
  const parts = text.split(/\$(\d+)/).map((part, index) => {
    return index % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`
  })
  const rows = await server.deps.db.execute<{ 'QUERY PLAN': string }>(
    sql.join([sql.raw('explain '), ...parts]),
  )
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
