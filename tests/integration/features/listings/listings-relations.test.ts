import { describe, expect, test } from 'bun:test'

import { ASSET_TYPES } from '../../../../src/domain/listings/listing.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const other = usePerson(server)

const edit = (game: GameRow, patch: object) => owner.json('PATCH', `/api/v1/private/games/${game.uid}`, patch)
const edited = async (game: GameRow, patch: object) => {
  const answer = await edit(game, patch)
  expect(answer.status).toBe(200)
  return await readData<Record<string, unknown>>(answer)
}

describe('parent', () => {
  test.each(['tool', 'mod', 'plugin', 'application'] as const)(
    'a %s may have one, by uid or name',
    async (assetType) => {
      const parent = await insertPublicGame(server, other)
      const child = await insertGame(server, owner, { assetType })
      for (const game of [parent.uid, parent.vanityName]) {
        expect(await edited(child, { parent: { game } })).toMatchObject({
          parent: { game: parent.uid, vanity_name: parent.vanityName, name: parent.name, asset_type: 'game' },
        })
      }
      expect(await edited(child, { parent: null })).toMatchObject({ parent: null })
    },
  )

  test('an external one has a name and an https link', async () => {
    const child = await insertGame(server, owner, { assetType: 'mod' })
    const parent = { external_name: 'Elsewhere', external_url: 'https://elsewhere.example/game' }
    expect(await edited(child, { parent })).toMatchObject({ parent })
  })

  test('an own parent may be hidden, another developer’s must be public', async () => {
    const child = await insertGame(server, owner, { assetType: 'mod' })
    const own = await insertGame(server, owner, { visibility: 'owner' })
    expect(await edited(child, { parent: { game: own.uid } })).toMatchObject({ parent: { game: own.uid } })
    for (const visibility of ['draft', 'owner', 'invisible'] as const) {
      const foreign = await insertGame(server, other, { visibility })
      const refused = await readFailure(await edit(child, { parent: { game: foreign.uid } }))
      expect(refused).toMatchObject({ status: 422, code: 4233 })
      const unknown = await readFailure(await edit(child, { parent: { game: 'no-such-game' } }))
      expect(refused.message).toBe(unknown.message.replace('no-such-game', foreign.uid))
    }
  })

  test.each([
    ['without an https link', { external_name: 'X' }],
    ['with an http link', { external_name: 'X', external_url: 'http://x.example' }],
    ['with a script for a link', { external_name: 'X', external_url: 'javascript:alert(1)' }],
    ['without a name', { external_url: 'https://x.example' }],
    ['with an empty name', { external_name: ' ', external_url: 'https://x.example' }],
    ['with a name of 81 characters', { external_name: 'x'.repeat(81), external_url: 'https://x.example' }],
    ['of both kinds', { game: 'x', external_name: 'X', external_url: 'https://x.example' }],
    ['of no kind', {}],
    ['that is unknown', { game: 'nothing-of-that-name' }],
    ['with a malformed uid', { game: '01890b6e' }],
  ])('%s is 4233', async (_, parent) => {
    const child = await insertGame(server, owner, { assetType: 'mod' })
    expect(await readFailure(await edit(child, { parent }))).toMatchObject({ status: 422, code: 4233 })
  })

  test.each(['tool', 'mod', 'plugin', 'game_asset', 'dev_asset'] as const)(
    'a %s cannot be one',
    async (assetType) => {
      const parent = await insertPublicGame(server, owner, { assetType, licenseKind: 'cc0' })
      const child = await insertGame(server, owner, { assetType: 'mod' })
      expect(await readFailure(await edit(child, { parent: { game: parent.uid } }))).toMatchObject({
        code: 4233,
      })
    },
  )

  test('neither can the listing itself, nor one below it', async () => {
    const top = await insertGame(server, owner, { assetType: 'application' })
    const below = await insertGame(server, owner, { assetType: 'application', parentUid: top.uid })
    for (const game of [top.uid, below.uid]) {
      expect(await readFailure(await edit(top, { parent: { game } }))).toMatchObject({
        status: 422,
        code: 4233,
      })
    }
  })

  test.each(['game', 'game_asset', 'dev_asset'] as const)('a %s has none', async (assetType) => {
    const parent = await insertPublicGame(server, owner)
    const game = await insertGame(server, owner, { assetType })
    expect(await readFailure(await edit(game, { parent: { game: parent.uid } }))).toMatchObject({
      status: 422,
      code: 4233,
    })
    const mod = await insertGame(server, owner, { assetType: 'mod', parentUid: parent.uid })
    const both = await edit(mod, { asset_type: assetType, parent: { game: parent.uid } })
    expect(await readFailure(both)).toMatchObject({ status: 422, code: 4233 })
    expect(await edited(mod, { asset_type: assetType })).toMatchObject({
      asset_type: assetType,
      parent: null,
    })
  })
})

describe('similar titles', () => {
  test('up to ten public games, most similar first, by uid or name, doubles merged', async () => {
    const game = await insertGame(server, owner)
    const titles = await Promise.all(Array.from({ length: 10 }, () => insertPublicGame(server, other)))
    const refs = titles.map(({ uid, vanityName }, index) => (index % 2 ? uid : vanityName))
    const saved = await edited(game, { similar_titles: [...refs, titles[0]?.uid] })
    expect((saved.similar_titles as { uid: string }[]).map(({ uid }) => uid)).toEqual(
      titles.map(({ uid }) => uid),
    )
    const extra = await insertPublicGame(server, other)
    expect(await readFailure(await edit(game, { similar_titles: [...refs, extra.uid] }))).toMatchObject({
      status: 422,
      code: 4072,
    })
  })

  test('a title that is hidden, no game, unknown, or the listing itself is 4072', async () => {
    const game = await insertPublicGame(server, owner)
    const bad = [
      (await insertGame(server, owner)).uid,
      (await insertGame(server, owner, { visibility: 'invisible' })).uid,
      (await insertPublicGame(server, owner, { assetType: 'application' })).uid,
      'no-such-title',
      game.uid,
      game.vanityName,
    ]
    for (const ref of bad) {
      expect(await readFailure(await edit(game, { similar_titles: [ref] }))).toMatchObject({
        status: 422,
        code: 4072,
      })
    }
  })
})

describe('dependencies', () => {
  test('of three kinds, in the order sent', async () => {
    const mod = await insertGame(server, owner, { assetType: 'mod' })
    const [pack, tool, parent] = [
      await insertPublicGame(server, other, { assetType: 'game_asset', licenseKind: 'cc0' }),
      await insertPublicGame(server, other, { assetType: 'tool' }),
      await insertPublicGame(server, other),
    ]
    const saved = await edited(mod, {
      dependencies: [
        { kind: 'made_with', game: tool.vanityName },
        { kind: 'uses', game: pack.uid },
        { kind: 'supports', game: parent.uid },
      ],
    })
    const shown = (kind: string, { uid, vanityName, name, assetType }: GameRow) => {
      return { kind, uid, vanity_name: vanityName, name, asset_type: assetType }
    }
    expect(saved.dependencies).toEqual([
      shown('made_with', tool),
      shown('uses', pack),
      shown('supports', parent),
    ])
  })

  test.each(['uses', 'supports', 'made_with'] as const)('%s points at the types it is for', async (kind) => {
    const allowed = {
      uses: ['plugin', 'game_asset', 'dev_asset'],
      supports: ['game', 'application', 'tool'],
      made_with: ['application', 'tool'],
    }[kind]
    const mod = await insertGame(server, owner, { assetType: 'mod' })
    const good = await insertPublicGame(server, other, { assetType: allowed[0] as GameRow['assetType'] })
    for (const assetType of ASSET_TYPES) {
      const target = await insertPublicGame(server, other, { assetType })
      const dependencies = [good, target].map(({ uid }) => ({ kind, game: uid }))
      const answer = await edit(mod, { dependencies })
      if (allowed.includes(assetType)) expect(answer.status).toBe(200)
      else {
        expect(await readFailure(answer)).toMatchObject({
          status: 400,
          code: 4000,
          message: expect.stringContaining('dependencies[1].game'),
        })
      }
    }
  })

  test('supports is for mods and plugins', async () => {
    const target = await insertPublicGame(server, other)
    for (const assetType of ASSET_TYPES) {
      const own = await insertGame(server, owner, { assetType })
      const answer = await edit(own, { dependencies: [{ kind: 'supports', game: target.uid }] })
      expect([assetType, answer.status]).toEqual([
        assetType,
        ['mod', 'plugin'].includes(assetType) ? 200 : 400,
      ])
    }
  })

  test('over 50, unknown, hidden, twice, of another kind, or itself is 4000', async () => {
    const game = await insertPublicGame(server, owner)
    const target = await insertPublicGame(server, owner, { assetType: 'dev_asset' })
    const hidden = await insertGame(server, owner, { assetType: 'dev_asset' })
    const uses = (ref: string) => ({ kind: 'uses', game: ref })
    const lists = [
      Array.from({ length: 51 }, () => uses(target.uid)),
      [uses('no-such-listing')],
      [uses(hidden.uid)],
      [uses(target.uid), uses(target.vanityName)],
      [{ kind: 'eats', game: target.uid }],
      [uses(game.uid)],
      [{ kind: 'uses' }],
    ]
    for (const dependencies of lists) {
      expect(await readFailure(await edit(game, { dependencies }))).toMatchObject({ status: 400, code: 4000 })
    }
    const many = await Promise.all(
      Array.from({ length: 50 }, () => insertPublicGame(server, other, { assetType: 'dev_asset' })),
    )
    const saved = await edited(game, { dependencies: many.map(({ uid }) => uses(uid)) })
    expect(saved.dependencies).toHaveLength(50)
  })
})

describe('engine compatibility', () => {
  const range = { engine: 'godot', min_version: '4.0', max_version: '4.2' }

  test('up to ten ranges, renderer and platform optional', async () => {
    const game = await insertGame(server, owner, { assetType: 'plugin' })
    const full = { ...range, renderer: 'Forward_Plus', platform: 'linux' }
    expect(await edited(game, { engine_compat: [range, full] })).toMatchObject({
      engine_compat: [
        { ...range, renderer: null, platform: null },
        { ...range, renderer: 'forward-plus', platform: 'linux' },
      ],
    })
    expect((await edit(game, { engine_compat: Array.from({ length: 10 }, () => range) })).status).toBe(200)
  })

  test.each([
    ['eleven ranges', Array.from({ length: 11 }, () => range)],
    ['min over max', [{ ...range, min_version: '4.3' }]],
    ['min over a whole major', [{ ...range, min_version: '5.0', max_version: '4' }]],
    ['an engine that is no slug', [{ ...range, engine: 'c++' }]],
    ['a renderer that is no slug', [{ ...range, renderer: '!' }]],
    ['a platform that is no system', [{ ...range, platform: 'amiga' }]],
    ['a version that is none', [{ ...range, max_version: 'latest' }]],
    ['no highest version', [{ engine: 'godot', min_version: '4.0' }]],
    ['an unknown field', [{ ...range, colour: 'red' }]],
  ])('%s is 4000', async (_, engine_compat) => {
    const game = await insertGame(server, owner, { assetType: 'plugin' })
    expect(await readFailure(await edit(game, { engine_compat }))).toMatchObject({ status: 400, code: 4000 })
  })

  test('a patch above a minor maximum is no contradiction: the minor covers its patches', async () => {
    const game = await insertGame(server, owner, { assetType: 'plugin' })
    const saved = await edited(game, {
      engine_compat: [{ ...range, min_version: '4.2.3', max_version: '4.2' }],
    })
    expect(saved.engine_compat).toHaveLength(1)
  })
})

describe('mod settings', () => {
  test.each(['mod', 'plugin'] as const)('of a %s', async (assetType) => {
    const game = await insertGame(server, owner, { assetType })
    const settings = { install_path: 'Mods/My..Mod/', loader: 'fabric', instructions: 'x'.repeat(8000) }
    expect(await edited(game, { mod_settings: settings })).toMatchObject({ mod_settings: settings })
    expect(await edited(game, { mod_settings: {} })).toMatchObject({
      mod_settings: { install_path: null, loader: null, instructions: null },
    })
  })

  test.each([
    { install_path: '/etc' },
    { install_path: 'C:/Games' },
    { install_path: String.raw`Mods\Mine` },
    { install_path: 'Mods/../..' },
    { install_path: '..' },
    { install_path: 'Mods/nul.txt' },
    { install_path: 'COM1' },
    { install_path: '~/mods' },
    { install_path: 'x'.repeat(256) },
    { install_path: 5 },
    { loader: 'not a slug!' },
    { loader: 'Fabric' },
    { loader: 'my loader' },
    { loader: 'my_loader' },
    { loader: ' fabric' },
    { loader: 'fabric-' },
    { loader: 'x'.repeat(33) },
    { loader: ['fabric'] },
    { instructions: 'x'.repeat(8001) },
  ])('%j is 4234', async (mod_settings) => {
    const game = await insertGame(server, owner, { assetType: 'mod' })
    expect(await readFailure(await edit(game, { mod_settings }))).toMatchObject({ status: 422, code: 4234 })
  })

  test.each(['game', 'application', 'tool', 'game_asset', 'dev_asset'] as const)(
    'a %s has none (4234)',
    async (assetType) => {
      const game = await insertGame(server, owner, { assetType })
      expect(await readFailure(await edit(game, { mod_settings: { loader: 'x' } }))).toMatchObject({
        status: 422,
        code: 4234,
      })
      const mod = await insertGame(server, owner, {
        assetType: 'mod',
        modSettings: { install_path: null, loader: 'x', instructions: null },
      })
      expect(await edited(mod, { asset_type: assetType })).toMatchObject({ mod_settings: null })
    },
  )
})
