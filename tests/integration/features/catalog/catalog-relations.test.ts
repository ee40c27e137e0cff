import { describe, expect, test } from 'bun:test'

import { gameDependencies, gameSimilarTitles } from '../../../../src/db/schema/games/game-relations.ts'
import { VISIBILITIES } from '../../../../src/domain/listings/visibility.ts'
import type { Listing, RelationsOnly } from '../../../../src/features/catalog/pages/model.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const read = async (ref: string): Promise<Listing> =>
  await readData(await server.fetch(`/api/v1/public/games/${ref}`))

/** One game of each visibility; only the last is public. */
const insertOneOfEach = (): Promise<GameRow[]> =>
  Promise.all(VISIBILITIES.map((visibility) => insertGame(server, owner, { visibility })))

describe('relations', () => {
  test('uses come in the order given, public ones only', async () => {
    const [game, pack, tool] = [
      await insertPublicGame(server, owner),
      await insertPublicGame(server, owner, { assetType: 'game_asset', licenseKind: 'cc0' }),
      await insertPublicGame(server, owner, { assetType: 'tool' }),
    ]
    const hidden = (await insertOneOfEach()).slice(0, 3)
    await server.deps.db.insert(gameDependencies).values([
      { gameUid: game.uid, kind: 'made_with', targetUid: tool.uid, position: 1 },
      { gameUid: game.uid, kind: 'uses', targetUid: pack.uid, position: 0 },
      ...hidden.map(({ uid }, index) => ({
        gameUid: game.uid,
        kind: 'uses' as const,
        targetUid: uid,
        position: 2 + index,
      })),
    ])
    const show = ({ uid, vanityName, name, assetType }: GameRow) => ({
      uid,
      vanity_name: vanityName,
      name,
      asset_type: assetType,
    })
    expect((await read(game.uid)).relations).toEqual({
      uses: [
        { kind: 'uses', ...show(pack) },
        { kind: 'made_with', ...show(tool) },
      ],
      used_by: [],
    })
    expect((await read(pack.uid)).relations.used_by).toEqual([{ kind: 'uses', ...show(game) }])
  })

  test('used_by shows the newest fifty, public ones only', async () => {
    const pack = await insertPublicGame(server, owner, { assetType: 'dev_asset' })
    const users = await Promise.all(
      Array.from({ length: 51 }, (_, day) =>
        insertGame(server, owner, {
          visibility: 'public',
          publishedAt: new Date(Date.UTC(2026, 0, 1 + day)),
        }),
      ),
    )
    const hidden = (await insertOneOfEach()).slice(0, 3)
    await server.deps.db.insert(gameDependencies).values(
      [...users, ...hidden].map(({ uid }) => ({
        gameUid: uid,
        kind: 'uses' as const,
        targetUid: pack.uid,
        position: 0,
      })),
    )
    const { used_by } = (await read(pack.uid)).relations
    const newest = users.toReversed().slice(0, 50)
    expect(used_by.map(({ uid }) => uid)).toEqual(newest.map(({ uid }) => uid))
  })

  test('have a route of their own, with licence and engines', async () => {
    const range = {
      engine: 'godot',
      min_version: '4',
      max_version: '4.3',
      renderer: 'vulkan',
      platform: null,
    }
    const game = await insertPublicGame(server, owner, { licenseKind: 'cc-by', engineCompat: [range] })
    const other = await insertPublicGame(server, owner)
    await server.deps.db
      .insert(gameDependencies)
      .values({ gameUid: other.uid, kind: 'supports', targetUid: game.uid, position: 0 })
    const answer = await server.fetch(`/api/v1/public/games/${game.vanityName}/relations`)
    const relations = await readData<RelationsOnly>(answer)
    expect(relations).toMatchObject({ license_kind: 'cc-by', engine_compat: [range] })
    expect(relations.relations).toEqual((await read(game.uid)).relations)
    expect(relations.relations.used_by).toHaveLength(1)
  })
})

describe('similar titles', () => {
  test('come in the order given, with their covers, public ones only', async () => {
    const game = await insertPublicGame(server, owner)
    const hidden = (await insertOneOfEach()).slice(0, 3)
    const [first, second] = [
      await insertPublicGame(server, owner),
      await insertGame(server, owner, { visibility: 'public' }),
    ]
    await server.deps.db.insert(gameSimilarTitles).values(
      [...hidden, first, second].map(({ uid }, position) => ({
        gameUid: game.uid,
        similarUid: uid,
        position,
      })),
    )
    const { uid, vanityName, name, tagline } = first
    expect((await read(game.uid)).similar_titles).toEqual([
      {
        uid,
        vanity_name: vanityName,
        name,
        asset_type: 'game',
        tagline,
        cover: expect.objectContaining({ kind: 'cover' }),
      },
      expect.objectContaining({ uid: second.uid, cover: null }),
    ])
  })
})

describe('the parent', () => {
  test.each([
    ['public', true],
    ['invisible', true],
    ['draft', false],
    ['owner', false],
  ] as const)('that is %s is shown: %p', async (visibility, isShown) => {
    const parent = await insertGame(server, owner, { visibility, assetType: 'application' })
    const mod = await insertPublicGame(server, owner, { assetType: 'mod', parentUid: parent.uid })
    const { uid, vanityName, name, assetType } = parent
    const shown = { game: uid, vanity_name: vanityName, name, asset_type: assetType }
    expect((await read(mod.uid)).parent).toEqual(isShown ? shown : null)
  })

  test('may be a game elsewhere', async () => {
    const mod = await insertPublicGame(server, owner, {
      assetType: 'mod',
      parentExternalName: 'Elsewhere',
      parentExternalUrl: 'https://elsewhere.example/',
    })
    const external = { external_name: 'Elsewhere', external_url: 'https://elsewhere.example/' }
    expect((await read(mod.uid)).parent).toEqual(external)
  })

  test.each([
    ['mod', 'public', { has_mods: true, has_tools: false }],
    ['plugin', 'public', { has_mods: true, has_tools: false }],
    ['tool', 'public', { has_mods: false, has_tools: true }],
    ['application', 'public', { has_mods: false, has_tools: true }],
    ['mod', 'invisible', { has_mods: false, has_tools: false }],
    ['tool', 'draft', { has_mods: false, has_tools: false }],
    ['plugin', 'owner', { has_mods: false, has_tools: false }],
  ] as const)('of a %s that is %s tells of it', async (assetType, visibility, expected) => {
    const parent = await insertPublicGame(server, owner)
    await insertGame(server, owner, { assetType, visibility, parentUid: parent.uid })
    expect(await read(parent.uid)).toMatchObject(expected)
  })
})
