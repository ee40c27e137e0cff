import { beforeAll, describe, expect, test } from 'bun:test'

import { OPERATING_SYSTEMS } from '../../../src/domain/builds/platforms.ts'
import { CONTENT_WARNINGS, GENRES, SESSION_BUCKETS, TONES } from '../../../src/domain/listings/fields.ts'
import { LICENSE_KINDS } from '../../../src/domain/listings/listing.ts'
import { reindex } from '../../../src/features/catalog/search/reindex.ts'
import { createRandom, type Random } from '../../../src/lib/random.ts'
import { readData } from '../../helpers/json.ts'
import { insertPublicGame } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { useStore } from '../../helpers/store.ts'

const LISTINGS = 120
const FILTER_SETS = 50
/** On the website; the API's own default is 20. */
const PER_PAGE = 24
const INTERFACE_ONLY = { interface: true, audio: false, subtitles: false }
const TAGS = ['cozy', 'stars', 'lighthouse', 'horror', 'retro', 'co-op']

const server = useStore()
beforeAll(async () => {
  const owner = await signUp(server)
  const random = createRandom('search pages')
  for (let count = 0; count < LISTINGS; count += 1) {
    await insertPublicGame(server, owner, {
      genres: random.draw(GENRES, 1 + random.below(3)),
      tags: random.draw(TAGS, 3),
      tone: random.draw(TONES, random.below(3)),
      licenseKind: random.pick([null, ...LICENSE_KINDS]),
      sessionBucket: random.pick([null, ...SESSION_BUCKETS]),
      contentWarnings: random.draw(CONTENT_WARNINGS, random.below(2)),
      languages: [{ language: count % 2 === 0 ? 'pt-BR' : 'ja', ...INTERFACE_ONLY }],
      accessibility: count % 3 === 0 ? ['mono_audio'] : [],
      publishedAt: new Date(Date.UTC(2026, 0, 1 + count)),
    })
  }
  await reindex(server.deps)
})

/** A page as a browser without a session asks for it. */
function open(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(server.url + path, {
    redirect: 'manual',
    ...init,
    headers: { accept: 'text/html', ...(init.headers as Record<string, string> | undefined) },
  })
}

function inventFilters(random: Random): string {
  const query = new URLSearchParams()
  const add = (name: string, values: readonly string[]) => {
    for (const value of values) query.append(name, value)
  }
  if (random.chance(0.3)) add('q', [random.pick(['light', 'lighthouse', 'keeper star', 'ligthhouse'])])
  if (random.chance(0.4)) add('genres', random.draw(GENRES, 2 + random.below(8)))
  if (random.chance(0.4)) add('tags', random.draw(TAGS, 1 + random.below(2)))
  if (random.chance(0.4)) add('exclude_tags', random.draw(TAGS, 1))
  if (random.chance(0.3)) add('exclude_genres', random.draw(GENRES, 1 + random.below(3)))
  if (random.chance(0.3)) add('tone', random.draw(TONES, 3))
  if (random.chance(0.2)) add('session_bucket', random.draw(SESSION_BUCKETS, 2))
  if (random.chance(0.2)) add('exclude_warnings', random.draw(CONTENT_WARNINGS, 2))
  if (random.chance(0.1)) add('license', ['bogus', ...random.draw(LICENSE_KINDS, 2)])
  if (random.chance(0.1)) add('os', random.draw(OPERATING_SYSTEMS, 1))
  if (random.chance(0.4)) add('sort', [random.pick(['newest', 'updated', 'relevance'])])
  if (random.chance(0.2)) add('page', [String(1 + random.below(3))])
  return query.toString()
}

function listNames(markup: string): string[] {
  return [...markup.matchAll(/<h3><a href="\/games\/([^"]+)"/g)].map((match) => match[1] ?? '')
}

describe('the search page', () => {
  test(`lists what the API returns for the same query, in the same order: ${FILTER_SETS} filter sets`, async () => {
    const random = createRandom('filter sets')
    let found = 0
    for (let count = 0; count < FILTER_SETS; count += 1) {
      const query = inventFilters(random)
      const answer = await readData<{ items: { vanity_name: string }[] }>(
        await server.fetch(`/api/v1/public/search?${query}&page_size=${PER_PAGE}`),
      )
      const names = answer.items.map((item) => item.vanity_name)
      const [results = ''] = (await (await open(`/search?${query}`)).text()).split('class="empty"')
      expect({ query, names: listNames(results) }).toEqual({ query, names })
      found += names.length
    }
    expect(found).toBeGreaterThan(FILTER_SETS)
  })

  test('shows 24 listings, the pictures of the first row at once, and the call of the API that does so', async () => {
    const markup = await (await open('/search?sort=newest')).text()
    expect(listNames(markup)).toHaveLength(PER_PAGE)
    expect(markup).toContain(`Page 1 of ${LISTINGS / PER_PAGE}`)
    expect(markup).toContain(`href="/api/v1/public/search?sort=newest&amp;page_size=${PER_PAGE}"`)
    expect(listNames(await (await open('/search?page_size=7')).text())).toHaveLength(7)
  })

  test('unfolds six groups of filters, and those in which something is selected', async () => {
    const foldsOf = async (path: string) =>
      [
        ...(await (await open(path)).text()).matchAll(
          /<details class="filter-group" id="group-(\w+)-fold"( open)?/g,
        ),
      ].map(([, name = '', isOpen]) => ({ name, isOpen: isOpen !== undefined }))
    const plain = await foldsOf('/search')
    expect(plain.filter(({ isOpen }) => isOpen)).toEqual(plain.slice(0, 6))
    expect(plain.length).toBeGreaterThan(6)
    expect(plain.at(-1)?.name).toBe('license_kind')
    expect((await foldsOf('/search?license=cc0')).at(-1)).toEqual({ name: 'license_kind', isOpen: true })
  })

  test('sends along what its filter form has no field for', async () => {
    const person = await signUp(server)
    await person.json('PATCH', '/api/v1/private/me', { hidden_tags: ['horror'] })
    const query = 'show_hidden=true&q=light&sort=newest&arch=x86_64&tags=cozy&page=2'
    const markup = await (await open(`/search?${query}`, { headers: { cookie: person.cookie } })).text()
    const form = /<form[^>]*id="filter-form".*?<\/form>/s.exec(markup)?.[0] ?? ''
    const sent = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map((input) =>
      input.slice(1),
    )
    expect(sent).toEqual([
      ['show_hidden', 'true'],
      ['q', 'light'],
      ['sort', 'newest'],
      ['arch', 'x86_64'],
    ])
    expect(markup).toContain('hide them again')
  })

  test('calls languages and accessibility by their names, and filters by both', async () => {
    const page = await (await open('/search?languages=pt_br&accessibility=mono_audio')).text()
    expect(page).toContain('Brazilian Portuguese')
    expect(page).toContain('Japanese')
    expect(page).toContain('Mono audio')
    const without = await (await open('/search?exclude_languages=pt-BR')).text()
    expect(without).toContain('not Brazilian Portuguese')
  })

  test('excludes a tag that is written as -word in the search box', async () => {
    const response = await open('/search?q=light+-horror')
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/search?q=light&exclude_tags=horror')
  })

  test('says which filter to drop when nothing is found, and what that gives', async () => {
    const markup = await (await open('/search?tags=cozy&exclude_tags=cozy')).text()
    expect(markup).toContain('<h2>Nothing found</h2>')
    expect(markup).toMatch(/Without <bdi>not cozy<\/bdi><\/a>: \d+ found/)
  })

  test('shows three rows of other listings, each listing once, instead of an empty page', async () => {
    const markup = await (await open('/search?tags=cozy&exclude_tags=cozy')).text()
    const rows = [...markup.matchAll(/<section class="shelf ?".*?<\/section>/gs)].map(([row]) => row)
    expect(rows).toHaveLength(3)
    const names = rows.map(listNames)
    expect(names.map(({ length }) => length)).toEqual([4, 4, 4])
    expect(new Set(names.flat()).size).toBe(12)
    // Somebody who hides a tag does not see it here either.
    const person = await signUp(server)
    await person.json('PATCH', '/api/v1/private/me', { hidden_tags: [...TAGS] })
    const own = await (await open('/search?tags=none', { headers: { cookie: person.cookie } })).text()
    expect(listNames(own)).toEqual([])
  })

  test('asks for fewer filters when nothing fits a long list of them', async () => {
    const tags = ['cozy', ...Array.from({ length: 8 }, (_, at) => `none-${at}`)].join(',')
    const markup = await (await open(`/search?tags=${tags}&exclude_tags=cozy`)).text()
    expect(markup).toContain('Try fewer filters')
    expect(markup).not.toContain('Without <bdi>not cozy')
  })

  test('escapes whatever the address holds', async () => {
    const attack = '"><script>alert(1)</script>'
    const markup = await (
      await open(`/search?q=${encodeURIComponent(attack)}&tags=${encodeURIComponent(attack)}`)
    ).text()
    expect(markup).not.toContain('<script>alert')
  })

  test('is compressed and conditional for guests, and private for people', async () => {
    const first = await open('/search', { headers: { 'accept-encoding': 'gzip' } })
    expect(first.headers.get('content-encoding')).toBe('gzip')
    expect(first.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    const etag = first.headers.get('etag') ?? ''
    expect((await open('/search', { headers: { 'if-none-match': etag } })).status).toBe(304)
    const person = await signUp(server)
    const own = await open('/search', { headers: { cookie: person.cookie } })
    expect(own.headers.get('cache-control')).toBe('private, no-store')
    expect(await own.text()).toContain('Sign out')
  })

  test('a missing page looks the same whatever is missing', async () => {
    const [missing, other] = await Promise.all(
      ['/games/nothing-here', '/no-such-page'].map((path) => open(path)),
    )
    expect([missing?.status, other?.status]).toEqual([404, 404])
    expect(await missing?.text()).toContain('There is no such page')
  })
})

describe('the studio', () => {
  test('lists one’s own projects, drafts too, and asks guests to sign in', async () => {
    const person = await signUp(server)
    const created = await person.json('POST', '/api/v1/private/games', {
      name: 'My draft',
      asset_type: 'game',
    })
    expect(created.status).toBe(201)
    const markup = await (await open('/studio', { headers: { cookie: person.cookie } })).text()
    expect(markup).toContain('My draft')
    expect(markup).toContain('Draft')
    const guest = await open('/studio')
    expect([guest.status, guest.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fstudio'])
  })
})
