import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { images, pressKits, videos } from '../../../../src/db/schema/games/game-pages.ts'
import { EMPTY_PRESS_KIT } from '../../../../src/domain/listings/press-kit.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertCover, insertGame, verifyEmail } from '../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

interface Report {
  ok: boolean
  errors: { code: string; field: string; message: string }[]
  warnings: { code: string; field: string; message: string }[]
}

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
beforeAll(async () => {
  await verifyEmail(server, owner)
})

async function readReport(game: GameRow): Promise<Report> {
  return await readData<Report>(await owner.fetch(`/api/v1/private/games/${game.uid}/lint`))
}

const codes = (findings: Report['errors']) => findings.map(({ code }) => code)

describe('errors', () => {
  test('a page with everything has none', async () => {
    const game = await insertGame(server, owner)
    await insertCover(server, game.uid)
    expect(await readReport(game)).toMatchObject({ ok: true, errors: [] })
  })

  test.each([
    ['name_missing', 'name', { name: ' ' }],
    ['tagline_missing', 'tagline', { tagline: '' }],
    ['description_short', 'description', { description: 'x'.repeat(199) }],
    ['description_short', 'description', { description: `# ${'*_*'.repeat(100)}` }],
    ['description_short', 'description', { description: `[x](https://example.org/${'y'.repeat(300)})` }],
    ['genres_missing', 'genres', { genres: [] }],
    ['genres_missing', 'genres', { genres: [], assetType: 'application' as const }],
    ['tags_count', 'tags', { tags: ['a', 'b'] }],
    ['parent_missing', 'parent', { assetType: 'tool' as const }],
    ['parent_missing', 'parent', { assetType: 'mod' as const }],
    ['parent_missing', 'parent', { assetType: 'plugin' as const }],
    ['license_missing', 'license_kind', { assetType: 'game_asset' as const }],
    ['license_missing', 'license_kind', { assetType: 'dev_asset' as const }],
    ['warnings_missing', 'content_warnings', { adult: true }],
  ])('%s', async (code, field, values) => {
    const game = await insertGame(server, owner, values)
    await insertCover(server, game.uid)
    const report = await readReport(game)
    expect(report.ok).toBe(false)
    expect(report.errors).toEqual([{ code, field, message: expect.any(String) }])
  })

  test.each([
    ['200 characters are enough', { description: 'x'.repeat(200) }],
    ['characters are counted, not code units', { description: '🌟'.repeat(200) }],
    [
      'a mod needs no genre',
      {
        genres: [],
        assetType: 'mod' as const,
        parentExternalName: 'X',
        parentExternalUrl: 'https://x.example',
      },
    ],
    ['an application needs no parent', { assetType: 'application' as const }],
    ['a game needs no licence kind', { licenseKind: null }],
    ['adult with a warning', { adult: true, contentWarnings: ['nudity' as const] }],
    ['twenty tags', { tags: Array.from({ length: 20 }, (_, index) => `t${index}`) }],
  ])('%s', async (_, values) => {
    const game = await insertGame(server, owner, values)
    await insertCover(server, game.uid)
    expect((await readReport(game)).errors).toEqual([])
  })

  test('cover_missing', async () => {
    expect(codes((await readReport(await insertGame(server, owner))).errors)).toEqual(['cover_missing'])
  })
})

describe('warnings', () => {
  test('all of them on a bare page, in a fixed order', async () => {
    const game = await insertGame(server, owner)
    expect(codes((await readReport(game)).warnings)).toEqual([
      'no_stable_build',
      'few_screenshots',
      'no_thumbnail',
      'no_session_bucket',
      'no_players',
      'no_inputs',
      'no_platforms',
      'no_trailer',
      'no_languages',
      'no_accessibility',
      'no_authorship',
    ])
  })

  test('what is there is not warned about', async () => {
    const game = await insertGame(server, owner, {
      sessionBucket: '1h',
      playersMin: 1,
      inputs: ['gamepad'],
      authorship: 'human',
      languages: [{ language: 'en', interface: true, audio: false, subtitles: false }],
      accessibility: ['mono_audio'],
    })
    const picture = { gameUid: game.uid, objectKey: 'images/x.webp', width: 1, height: 1, size: 1 }
    const kinds = ['thumbnail', 'gallery', 'gallery', 'gallery'] as const
    await server.deps.db.insert(images).values(kinds.map((kind) => ({ ...picture, kind })))
    const kit = { ...EMPTY_PRESS_KIT, trailer_url: 'https://video.example/trailer' }
    await server.deps.db.insert(pressKits).values({ gameUid: game.uid, kit })
    expect(codes((await readReport(game)).warnings)).toEqual(['no_stable_build', 'no_platforms'])
    await server.deps.db.delete(pressKits).where(eq(pressKits.gameUid, game.uid))
    expect(codes((await readReport(game)).warnings)).toContain('no_trailer')
    await server.deps.db
      .insert(videos)
      .values({ gameUid: game.uid, kind: 'link', url: 'https://vimeo.com/1' })
    expect(codes((await readReport(game)).warnings)).toEqual(['no_stable_build', 'no_platforms'])
  })

  test.each(['plugin', 'tool', 'dev_asset', 'game_asset'] as const)(
    'a %s without engine ranges is told what editors make of it',
    async (assetType) => {
      const range = { engine: 'godot', min_version: '4', max_version: '4.4', renderer: null, platform: null }
      const bare = await insertGame(server, owner, { assetType })
      expect(codes((await readReport(bare)).warnings)).toContain('no_engine_range')
      const ranged = await insertGame(server, owner, { assetType, engineCompat: [range] })
      expect(codes((await readReport(ranged)).warnings)).not.toContain('no_engine_range')
    },
  )

  test('two screenshots are few', async () => {
    const game = await insertGame(server, owner)
    const picture = { gameUid: game.uid, objectKey: 'images/x.webp', width: 1, height: 1, size: 1 }
    await server.deps.db.insert(images).values([1, 2].map(() => ({ ...picture, kind: 'gallery' as const })))
    expect(codes((await readReport(game)).warnings)).toContain('few_screenshots')
  })
})
