import { beforeAll, describe, expect, test } from 'bun:test'

import { changelogEntries, editions, images } from '../../../../src/db/schema/games/game-pages.ts'
import { tagSuggestions } from '../../../../src/db/schema/games/game-relations.ts'
import type { Listing } from '../../../../src/features/catalog/pages/model.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp, unnamed, usernameOf } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

async function read(ref: string): Promise<Listing> {
  const answer = await server.fetch(`/api/v1/public/games/${ref}`)
  expect(answer.status).toBe(200)
  return await readData(answer)
}

describe('a public listing', () => {
  test('tells everything a page shows', async () => {
    const game = await insertPublicGame(server, owner, {
      name: 'Lantern Keeper',
      description: 'A **small** game.',
      status: 'released',
      website: 'https://lantern.example/',
      priceCents: 999,
      tone: ['cozy'],
      inputs: ['gamepad'],
      contentWarnings: ['horror'],
      engines: ['godot'],
      sessionBucket: '1h',
      net: 'local',
      playersMin: 1,
      playersMax: 4,
      authorship: 'human_agent',
      authorshipCredit: 'Ada and a machine',
      aiUses: ['code'],
      accessibility: ['one_handed'],
      languages: [{ language: 'pt-BR', interface: true, audio: false, subtitles: true }],
      requirements: { linux: { minimum: '4 GB of memory', recommended: null } },
      licenseKind: 'proprietary',
      engineCompat: [
        { engine: 'godot', min_version: '4.1', max_version: '4.3', renderer: null, platform: 'linux' },
      ],
      storeLinks: [{ platform: 'store_01', url: 'https://store.steampowered.com/app/620/' }],
    })
    const listing = await read(game.vanityName)
    expect(listing).toEqual({
      uid: game.uid,
      vanity_name: game.vanityName,
      name: 'Lantern Keeper',
      tagline: 'Repair the stars.',
      description: 'A **small** game.',
      description_html: expect.stringContaining('<strong>small</strong>'),
      asset_type: 'game',
      status: 'released',
      visibility: 'public',
      url: `${server.deps.config.baseUrl}/games/${game.vanityName}`,
      website: 'https://lantern.example/',
      developer: { uid: owner.uid, ...unnamed(await usernameOf(owner)) },
      price: { cents: 999, currency: 'USD', free: false },
      editions: [],
      cover: expect.objectContaining({ kind: 'cover', width: 1280, height: 720 }),
      thumbnail: null,
      cover_wide: null,
      gallery: [],
      videos: [],
      accent: null,
      accessibility: ['one_handed'],
      languages: [{ language: 'pt-BR', interface: true, audio: false, subtitles: true }],
      requirements: { linux: { minimum: '4 GB of memory', recommended: null } },
      taxonomy: {
        genres: ['puzzle'],
        tags: ['cozy', 'stars', 'lighthouse'],
        tone: ['cozy'],
        inputs: ['gamepad'],
        content_warnings: ['horror'],
        engines: ['godot'],
        session_bucket: '1h',
        net: 'local',
        players_min: 1,
        players_max: 4,
      },
      authorship: { value: 'human_agent', label: 'people with AI agents', credit: 'Ada and a machine' },
      ai_uses: ['code'],
      community_tags: [],
      adult: false,
      indexable: true,
      pay_more: false,
      anonymous_downloads: false,
      parent: null,
      has_mods: false,
      has_tools: false,
      health: { band: 'unrated' },
      license_kind: 'proprietary',
      engine_compat: [
        { engine: 'godot', min_version: '4.1', max_version: '4.3', renderer: null, platform: 'linux' },
      ],
      relations: { uses: [], used_by: [] },
      mod_compat: null,
      mod_settings: null,
      web_player: null,
      store_links: [
        { platform: 'store_01', label: expect.any(String), url: 'https://store.steampowered.com/app/620/' },
      ],
      files: [],
      similar_titles: [],
      changelog: [],
      published_at: game.publishedAt?.toISOString() ?? '',
      updated_at: game.updatedAt.toISOString(),
    })
  })

  test('is the same by uid, in any case, and by vanity name', async () => {
    const game = await insertPublicGame(server, owner)
    const byName = await read(game.vanityName)
    expect(await read(game.uid)).toEqual(byName)
    expect(await read(game.uid.toUpperCase())).toEqual(byName)
  })

  test('without authorship says null', async () => {
    expect((await read((await insertPublicGame(server, owner)).uid)).authorship).toBeNull()
  })

  test('shows active editions only', async () => {
    const game = await insertPublicGame(server, owner)
    await server.deps.db.insert(editions).values([
      { gameUid: game.uid, name: 'Deluxe', priceCents: 1499 },
      { gameUid: game.uid, name: 'Retired', priceCents: 2499, active: false },
    ])
    expect((await read(game.uid)).editions).toMatchObject([
      { name: 'Deluxe', price_cents: 1499, active: true },
    ])
  })

  test('shows the gallery in its order', async () => {
    const game = await insertPublicGame(server, owner)
    const picture = { gameUid: game.uid, kind: 'gallery', width: 1920, height: 1080, size: 1 } as const
    await server.deps.db.insert(images).values([
      { ...picture, objectKey: 'images/b.webp', position: 1 },
      { ...picture, objectKey: 'images/a.webp', position: 0 },
    ])
    const { gallery } = await read(game.uid)
    expect(gallery.map(({ url }) => url.split('/').at(-1))).toEqual(['a.webp', 'b.webp'])
  })

  test('shows the newest ten entries of its changelog', async () => {
    const game = await insertPublicGame(server, owner)
    for (let version = 1; version <= 11; version += 1) {
      await server.deps.db
        .insert(changelogEntries)
        .values({ gameUid: game.uid, title: `Version ${version}`, body: '*better*', version: `${version}` })
    }
    const { changelog } = await read(game.uid)
    expect(changelog.map(({ version }) => version)).toEqual([
      '11',
      '10',
      '9',
      '8',
      '7',
      '6',
      '5',
      '4',
      '3',
      '2',
    ])
    expect(changelog[0]).toMatchObject({
      title: 'Version 11',
      body_html: expect.stringContaining('<em>better</em>'),
    })
  })

  test('shows a community tag that three players suggested, with its votes', async () => {
    const game = await insertPublicGame(server, owner)
    const players = await Promise.all([signUp(server), signUp(server), signUp(server)])
    await server.deps.db
      .insert(tagSuggestions)
      .values([
        ...players.map(({ uid }) => ({ gameUid: game.uid, userUid: uid, tag: 'rainy' })),
        ...players.slice(1).map(({ uid }) => ({ gameUid: game.uid, userUid: uid, tag: 'slow' })),
      ])
    expect((await read(game.uid)).community_tags).toEqual([{ tag: 'rainy', votes: 3 }])
  })

  test.each([
    ['mod', true],
    ['plugin', true],
    ['tool', false],
    ['game', false],
  ] as const)('of type %s tells mod settings: %p', async (assetType, isTold) => {
    const modSettings = { install_path: 'mods', loader: 'forge', instructions: 'Copy _it_.' }
    const game = await insertPublicGame(server, owner, { assetType, modSettings })
    const shown = { ...modSettings, instructions_html: expect.stringContaining('<em>it</em>') }
    expect((await read(game.uid)).mod_settings).toEqual(isTold ? shown : null)
  })

  test('renders hostile Markdown without anything active', async () => {
    const description = '<script>alert(1)</script> [x](javascript:alert(1))'
    const { description_html } = await read((await insertPublicGame(server, owner, { description })).uid)
    expect(description_html).not.toContain('<script')
    expect(description_html).not.toMatch(/href="javascript/i)
  })
})

describe('an adult listing', () => {
  test('is readable by anyone', async () => {
    const game = await insertPublicGame(server, owner, { adult: true, contentWarnings: ['gore'] })
    expect(await read(game.uid)).toMatchObject({ adult: true })
  })
})

describe('an answer', () => {
  let game: GameRow
  beforeAll(async () => {
    game = await insertGame(server, owner, { visibility: 'invisible' })
  })
  const ask = (headers: Record<string, string> = {}) =>
    server.fetch(`/api/v1/public/games/${game.uid}`, { headers })

  test('may be kept, but is asked for before every use', async () => {
    const answer = await ask()
    expect(answer.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    expect(answer.headers.get('vary')).toBe('Authorization, SVC_GAMES')
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  test('is 304 without a body for who has it already', async () => {
    const etag = (await ask()).headers.get('etag') ?? ''
    const again = await ask({ 'if-none-match': etag })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    expect(again.headers.get('etag')).toBe(etag)
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('to a bad bearer is 401/4010, kept page or not', async () => {
    const failure = await readFailure(await ask({ authorization: 'Bearer svc_play_wrong' }))
    expect(failure).toMatchObject({ status: 401, code: 4010 })
  })
})
