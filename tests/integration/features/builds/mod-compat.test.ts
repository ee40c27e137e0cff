import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import type { ModCompat } from '../../../../src/features/builds/comparison/model.ts'
import { insertBuild, pointChannel } from '../../../helpers/builds.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let modder: Person
let developer: Person
let parent: GameRow
let mod: GameRow
beforeAll(async () => {
  ;[modder, developer] = [await signUp(server), await signUp(server)]
  parent = await insertPublicGame(server, developer, { engines: ['godot'] })
  mod = await insertMod({ parentUid: parent.uid })
  await point('linux', 'stable', '4.2')
  await point('windows', 'stable', null)
  await point('macos', 'stable', '4.3')
  await point('linux', 'beta', '4.5')
  await point('linux', 'dev', '4.6')
  await pointChannel(
    server,
    await insertBuild(server, parent.uid, { os: 'linux', engineVersion: '3' }, 'server'),
  )
  await insertBuild(server, parent.uid, { version: '0.1', os: 'web', engineVersion: '3.0' })
})

async function insertMod(values: Parameters<typeof insertPublicGame>[2]): Promise<GameRow> {
  const common = { engine: 'godot', renderer: null }
  return await insertPublicGame(server, modder, {
    assetType: 'mod',
    engineCompat: [
      { ...common, min_version: '4.1', max_version: '4.2', platform: 'linux' },
      { ...common, min_version: '4.1', max_version: '4.4', platform: 'macos' },
    ],
    ...values,
  })
}

async function point(os: 'linux' | 'windows' | 'macos', channel: string, engineVersion: string | null) {
  await pointChannel(server, await insertBuild(server, parent.uid, { os, channel, engineVersion }))
}

async function readPrivate(game: GameRow): Promise<ModCompat> {
  return await readData<ModCompat>(await modder.fetch(`/api/v1/private/games/${game.uid}/mod-compat`))
}

async function readPublic(game: GameRow): Promise<ModCompat | null> {
  const answer = await server.fetch(`/api/v1/public/games/${game.uid}`)
  return (await readData<{ mod_compat: ModCompat | null }>(answer)).mod_compat
}

const EMPTY: ModCompat = { status: 'unknown', builds: [] }
const shown = ({ builds }: ModCompat) =>
  builds.map(({ channel, os, engine_version, status }) => [channel, os, engine_version, status])

describe('mod compatibility', () => {
  test("is told for the parent's stable and beta builds per platform", async () => {
    const compat = await readPrivate(mod)
    expect(shown(compat)).toEqual([
      ['stable', 'linux', '4.2', 'compatible'],
      ['stable', 'macos', '4.3', 'compatible'],
      ['stable', 'windows', null, 'unknown'],
      ['beta', 'linux', '4.5', 'incompatible'],
    ])
    expect(compat.status).toBe('incompatible')
  })

  test('is on the public page for the stable builds alone', async () => {
    const compat = await readPublic(mod)
    expect(compat?.status).toBe('unknown')
    expect(compat?.builds.map(({ channel }) => channel)).toEqual(['stable', 'stable', 'stable'])
  })

  test('is unknown while the parent has no builds', async () => {
    const young = await insertPublicGame(server, developer, { engines: ['godot'] })
    const child = await insertMod({ assetType: 'plugin', parentUid: young.uid })
    expect(await readPublic(child)).toEqual(EMPTY)
    expect(await readPrivate(child)).toEqual(EMPTY)
  })

  test.each([
    ['a game', { assetType: 'game' }],
    ['a tool', { assetType: 'tool' }],
    [
      'a mod of something elsewhere',
      { parentExternalName: 'Else', parentExternalUrl: 'https://example.org' },
    ],
    ['a mod without a parent', {}],
  ] as const)('is nothing for %s', async (_, values) => {
    const game = await insertMod(values)
    expect(await readPublic(game)).toBeNull()
    expect(await readPrivate(game)).toEqual(EMPTY)
  })

  test('tells nothing of a parent that was hidden since', async () => {
    const hidden = await insertPublicGame(server, developer, { engines: ['godot'] })
    await pointChannel(server, await insertBuild(server, hidden.uid, { engineVersion: '4.2' }))
    const child = await insertMod({ parentUid: hidden.uid })
    expect((await readPrivate(child)).status).toBe('compatible')
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, hidden.uid))
    expect(await readPrivate(child)).toEqual(EMPTY)
    expect(await readPublic(child)).toBeNull()
  })

  test('is read by owner and admins', async () => {
    expect((await developer.fetch(`/api/v1/private/games/${mod.uid}/mod-compat`)).status).toBe(403)
  })
})
