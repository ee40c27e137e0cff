import { beforeAll, describe, expect, test } from 'bun:test'

import { insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { indexNow, namesOf, searchFor } from '../../../helpers/search/search.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person

beforeAll(async () => {
  owner = await signUp(server)
  const day = (count: number) => new Date(Date.UTC(2026, 0, count))
  const lantern = await insertPublicGame(server, owner, {
    name: 'Lantern Keeper',
    tags: ['cozy', 'lamp-lit', 'sea'],
    genres: ['puzzle', 'adventure'],
    tone: ['cozy'],
    sessionBucket: '15m',
    net: 'offline',
    authorship: 'human',
    authorshipCredit: 'Ada alone',
    aiUses: [],
    accessibility: ['one_handed', 'mono_audio'],
    languages: [
      { language: 'en', interface: true, audio: true, subtitles: true },
      { language: 'pt-BR', interface: true, audio: false, subtitles: true },
    ],
    contentWarnings: ['flashing_lights'],
    engines: ['godot'],
    licenseKind: 'proprietary',
    playersMin: 1,
    playersMax: 4,
    publishedAt: day(1),
    updatedAt: day(9),
  })
  const build = await insertBuild(server, lantern.uid, { os: 'linux', arch: 'x86_64' })
  await insertFile(server, build)
  await pointChannel(server, build)
  const others = [
    await insertPublicGame(server, owner, {
      name: 'Torchbearer',
      tags: ['dark', 'cave', 'cozy'],
      genres: ['rpg'],
      tone: ['dark', 'tense'],
      aiUses: ['art', 'voice'],
      accessibility: ['subtitles'],
      languages: [{ language: 'en', interface: true, audio: false, subtitles: false }],
      contentWarnings: ['violence'],
      publishedAt: day(2),
      updatedAt: day(3),
    }),
    await insertPublicGame(server, owner, {
      name: 'Lamp Shaders',
      assetType: 'dev_asset',
      tags: ['shader', 'sea', 'lamp-lit'],
      genres: [],
      licenseKind: 'cc0',
      engineCompat: [
        { engine: 'godot', min_version: '4', max_version: '4.2', renderer: 'forward', platform: null },
        { engine: 'unity', min_version: '2021', max_version: '2022', renderer: null, platform: 'windows' },
      ],
      publishedAt: day(3),
      updatedAt: day(2),
    }),
  ]
  await indexNow(server, lantern.uid, ...others.map(({ uid }) => uid))
})

const ALL = ['Lamp Shaders', 'Torchbearer', 'Lantern Keeper']
const namesFor = async (query: string) => namesOf(await searchFor(server, query))

describe('a result', () => {
  test('carries the listing fields and those of the search', async () => {
    const { items, ...rest } = await searchFor(server, 'q=lantern&tags=cozy,sea,unheard-of')
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      name: 'Lantern Keeper',
      engines: ['godot'],
      license_kind: 'proprietary',
      authorship: { value: 'human', label: 'made by people', credit: 'Ada alone' },
      adult: false,
      content_warnings: ['flashing_lights'],
      ai_uses: [],
      health: { band: 'unrated' },
      scan: 'clean',
      platforms: ['linux'],
      score: expect.any(Number),
      matched_tags: ['cozy', 'sea'],
    })
    expect(items[0]).not.toHaveProperty('description')
    expect(rest).toMatchObject({ total: 1, page: 1, page_size: 20, engine: 'postgres' })
    expect(rest.took_ms).toBeNumber()
  })

  test('has no score and no matched tags when neither was asked for', async () => {
    const { items } = await searchFor(server, '')
    expect(items.map(({ score, matched_tags }) => ({ score, matched_tags }))).toEqual(
      items.map(() => ({ score: 0, matched_tags: [] })),
    )
  })
})

describe('parameters', () => {
  test.each([
    ['nothing asked for is everything, newest first', '', ALL],
    ['aliases of the text are joined', 'q=lantern&search=keeper', ['Lantern Keeper']],
    ['aliases of the type are joined', 'asset_type=game&type=dev_asset', ALL],
    ['several values with commas', 'genres=rpg,puzzle', ['Torchbearer', 'Lantern Keeper']],
    ['several values by repeating', 'genres=rpg&genres=puzzle', ['Torchbearer', 'Lantern Keeper']],
    [
      'both, with spaces and empty values',
      'genres=rpg,,%20puzzle&genres=',
      ['Torchbearer', 'Lantern Keeper'],
    ],
    ['every filter must match', 'genres=rpg,puzzle&tone=cozy', ['Lantern Keeper']],
    ['tags are normalised as on saving', 'tags=Lamp_Lit', ['Lamp Shaders', 'Lantern Keeper']],
    ['more matched tags come first', 'tags=cozy,sea', ['Lantern Keeper', 'Lamp Shaders', 'Torchbearer']],
    ['values outside a closed list are ignored', 'genres=rpg,spaceship', ['Torchbearer']],
    ['a filter of such values only is none', 'genres=spaceship&tone=%F0%9F%8E%AE&os=amiga', ALL],
    ['capitals are not in a closed list', 'genres=RPG', ALL],
    ['an unknown tag matches nothing', 'tags=nobody-has-it', []],
    ['an impossible tag matches nothing', 'tags=!!!', []],
    ['an unknown engine matches nothing', 'engine=nobody-uses-it', []],
    ['an unknown renderer matches nothing', 'engine=godot&renderer=nobody-draws-so', []],
    ['exclusion wins over the matching include', 'genres=rpg,puzzle&exclude_genres=rpg', ['Lantern Keeper']],
    ['excluded types', 'exclude_types=dev_asset', ['Torchbearer', 'Lantern Keeper']],
    ['excluded tags', 'exclude_tags=SEA', ['Torchbearer']],
    ['excluded tones', 'exclude_tone=dark', ['Lamp Shaders', 'Lantern Keeper']],
    ['excluded warnings', 'exclude_warnings=violence,flashing_lights', ['Lamp Shaders']],
    ['excluded uses of AI', 'exclude_ai_uses=voice', ['Lamp Shaders', 'Lantern Keeper']],
    ['uses of AI', 'ai_uses=art,text', ['Torchbearer']],
    ['accessibility', 'accessibility=subtitles,mono_audio', ['Torchbearer', 'Lantern Keeper']],
    ['excluded accessibility', 'exclude_accessibility=one_handed', ['Lamp Shaders', 'Torchbearer']],
    ['languages', 'languages=pt-BR', ['Lantern Keeper']],
    ['languages in any spelling', 'languages=PT_br,de', ['Lantern Keeper']],
    ['what is no language is ignored', 'languages=portuguese', ALL],
    ['excluded languages', 'exclude_languages=pt-br', ['Lamp Shaders', 'Torchbearer']],
    [
      'session length, net and authorship',
      'session_bucket=15m,1h&net=offline&authorship=human',
      ['Lantern Keeper'],
    ],
    ['players', 'players=4', ['Lantern Keeper']],
    ['too many players', 'players=5', []],
    ['no players at all', 'players=0', []],
    ['players that are no integer are ignored', 'players=2.5', ALL],
    ['players that are no number are ignored', 'players=many', ALL],
    ['one licence kind', 'license=cc0', ['Lamp Shaders']],
    ['an unknown licence kind is ignored', 'license=wtfpl', ALL],
    ['made with an engine or declaring it', 'engine=godot', ['Lamp Shaders', 'Lantern Keeper']],
    ['an engine is normalised', 'engine=Godot', ['Lamp Shaders', 'Lantern Keeper']],
    ['with a version, only declared ranges count', 'engine=godot&engine_version=4.1', ['Lamp Shaders']],
    ['a minor maximum covers its patches', 'engine=godot&engine_version=4.2.9', ['Lamp Shaders']],
    ['past the maximum', 'engine=godot&engine_version=4.3', []],
    ['a version without an engine', 'engine_version=2022.3', ['Lamp Shaders']],
    ['engine and version must hold on one range', 'engine=unity&engine_version=4.1', []],
    ['a renderer', 'engine=godot&renderer=forward', ['Lamp Shaders']],
    ['a range without renderer covers all', 'engine=unity&renderer=anything-at-all', ['Lamp Shaders']],
    ['a version that is none is ignored', 'engine_version=latest', ALL],
    ['by publication', 'sort=newest', ALL],
    ['by change', 'sort=updated', ['Lantern Keeper', 'Torchbearer', 'Lamp Shaders']],
    ['any other order is relevance', 'sort=price', ALL],
    ['unknown parameters are ignored', 'colour=red&__proto__=x&tags[]=y', ALL],
  ])('%s: %s', async (_, query, names) => {
    expect(await namesFor(query)).toEqual(names)
  })

  test.each([
    ['page=0', 1, 20, 3],
    ['page=-7&page_size=2', 1, 2, 2],
    ['page=2&page_size=2', 2, 2, 1],
    ['page=9', 9, 20, 0],
    ['page=x&page_size=y', 1, 20, 3],
    ['page_size=0', 1, 1, 1],
    ['page_size=51', 1, 50, 3],
    ['page=501&page_size=20', 501, 20, 0],
    ['page=99999999', 1_000_000, 20, 0],
  ])('pages are clamped: %s', async (query, page, page_size, count) => {
    const answer = await searchFor(server, query)
    expect(answer).toMatchObject({ page, page_size, total: 3 })
    expect(answer.items).toHaveLength(count)
  })

  test.each([
    'q=%',
    'q=%E0%A4%A',
    'tags=%ff',
    'players=99999999999999999999',
    'q='.padEnd(5000, 'word+'),
    'tags='.padEnd(5000, 'a,'),
  ])('nothing that is sent is a fault: %p', async (query) => {
    const answer = await server.fetch(`/api/v1/public/search?${query}`)
    expect(answer.status).toBe(200)
  })
})

describe('facets', () => {
  test('count over the matches, leaving aside what was picked in them', async () => {
    const { facets, total } = await searchFor(server, 'genres=rpg')
    expect(total).toBe(1)
    expect(facets.genres).toEqual({ adventure: 1, puzzle: 1, rpg: 1 })
    expect(facets.tone).toEqual({ dark: 1, tense: 1 })
    expect(facets.asset_type).toEqual({ game: 1 })
  })

  test('of the system leave aside the architecture too, of engines the engine', async () => {
    const { facets } = await searchFor(server, 'os=windows&arch=arm64&engine=unity')
    expect(facets.os).toEqual({})
    expect((await searchFor(server, 'os=windows&arch=arm64')).facets.os).toEqual({ linux: 1 })
    expect((await searchFor(server, 'engine=unity')).facets.engines).toEqual({ godot: 1 })
  })
})

describe('the route', () => {
  test('needs no credential, and refuses a bad one', async () => {
    const headers = { authorization: 'Bearer svc_play_nonsense' }
    const failure = await readFailure(await server.fetch('/api/v1/public/search', { headers }))
    expect(failure).toMatchObject({ status: 401, code: 4010 })
  })

  test('allows 1,200 requests a minute per IP', async () => {
    const headers = { 'x-forwarded-for': randomAddress() }
    const answer = await server.fetch('/api/v1/public/search', { headers })
    expect(answer.headers.get('ratelimit-limit')).toBe('1200')
    expect(answer.headers.get('ratelimit-remaining')).toBe('1199')
  })

  test('has an ETag that does not tell how long it took', async () => {
    const ask = (etag?: string) =>
      server.fetch('/api/v1/public/search?q=lantern', etag ? { headers: { 'if-none-match': etag } } : {})
    const tags = await Promise.all(Array.from({ length: 5 }, async () => (await ask()).headers.get('etag')))
    expect(new Set(tags).size).toBe(1)
    const again = await ask(tags[0] ?? '')
    expect(again.status).toBe(304)
    expect(again.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
  })
})
