import { beforeAll, describe, expect, test } from 'bun:test'

import type { ScanState } from '../../../../src/domain/builds/files.ts'
import { OPERATING_SYSTEMS } from '../../../../src/domain/builds/platforms.ts'
import { loadCards } from '../../../../src/features/catalog/pages/cards.ts'
import { loadListing } from '../../../../src/features/catalog/pages/listing.ts'
import { type BuildRow, insertBuild, insertFile } from '../../../helpers/builds.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { promote, release, rollBack, settle } from '../../../helpers/releases.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
})

interface PublicFile {
  file_uid: string
  os: string
  version: string
  build_id: string
}

interface Shown {
  files: PublicFile[]
  updated_at: string
}

const readPage = async (game: GameRow) =>
  await readData<Shown>(await server.fetch(`/api/v1/public/games/${game.uid}`))
const versionsOn = async (game: GameRow) =>
  (await readPage(game)).files.map(({ os, version }) => `${os} ${version}`)
const readFiles = async (game: GameRow, query = '') =>
  await readData<{ items: PublicFile[]; total: number }>(
    await server.fetch(`/api/v1/public/user/${owner.uid}/games/${game.uid}/files${query}`),
  )
const readWarnings = async (game: GameRow) => {
  const lint = await readData<{ warnings: { code: string }[] }>(
    await owner.fetch(`/api/v1/private/games/${game.uid}/lint`),
  )
  return lint.warnings.map(({ code }) => code)
}
const insertWith = async (game: GameRow, values: Partial<BuildRow>, ...scans: ScanState[]) => {
  const build = await insertBuild(server, game.uid, values)
  for (const [index, scan] of scans.entries()) {
    await insertFile(server, build, { scan, filename: `part-${index}.zip` })
  }
  return build
}

describe('a public page', () => {
  test('lists the clean files of the builds that stable points at, and no others', async () => {
    const game = await insertPublicGame(server, owner)
    await release(server, game.uid, { version: '1.0.0' })
    await release(server, game.uid, { version: '3.0.0', channel: 'beta' })
    await release(server, game.uid, { version: '4.0.0', channel: 'dev' })
    await release(server, game.uid, { version: '5.0.0', channel: 'friends' })
    const build = await insertWith(game, { version: '2.0.0', os: 'windows' }, 'clean', 'scanning', 'infected')
    await settle(server, build)
    expect(await versionsOn(game)).toEqual(['linux 1.0.0', 'windows 2.0.0'])
    const [, shown] = (await readPage(game)).files
    expect(shown).toEqual({
      file_uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      filename: 'part-0.zip',
      size: 1000,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      app: 'main',
      app_name: 'main',
      os: 'windows',
      arch: 'x86_64',
      channel: 'stable',
      version: '2.0.0',
      build_id: build.uid,
      scan: 'clean',
      scan_engine: null,
      uploaded_at: expect.stringMatching(/Z$/),
      apk: false,
    } as unknown as PublicFile)
  })

  test('follows the channel at once: upload, promotion, rollback, deletion', async () => {
    const game = await insertPublicGame(server, owner)
    expect(await versionsOn(game)).toEqual([])
    await release(server, game.uid, { version: '1.0.0' })
    expect(await versionsOn(game)).toEqual(['linux 1.0.0'])
    const next = await release(server, game.uid, { version: '2.0.0', channel: 'beta' })
    expect(await versionsOn(game)).toEqual(['linux 1.0.0'])
    await promote(owner, game.uid, next)
    expect(await versionsOn(game)).toEqual(['linux 2.0.0'])
    await rollBack(owner, game.uid)
    expect(await versionsOn(game)).toEqual(['linux 1.0.0'])
    await promote(owner, game.uid, next)
    await owner.json('DELETE', `/api/v1/private/games/${game.uid}/builds/${next.uid}`)
    expect(await versionsOn(game)).toEqual(['linux 1.0.0'])
  })

  test('lists the files of every app, and pages them on their own route', async () => {
    const game = await insertPublicGame(server, owner)
    await release(server, game.uid, { os: 'windows' })
    await release(server, game.uid, { os: 'linux' }, 'server')
    await release(server, game.uid, { os: 'linux' })
    const all = await readFiles(game)
    expect(all.items.map(({ os }) => os)).toEqual(['linux', 'windows', 'linux'])
    expect(all.items).toEqual((await readPage(game)).files)
    const second = await readFiles(game, '?page=2&page_size=2')
    expect(second).toMatchObject({ total: 3, page: 2, page_size: 2 })
    expect(second.items).toEqual(all.items.slice(2))
  })

  test('is read with as many statements whatever it has to download', async () => {
    const [empty, full] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
    for (const os of OPERATING_SYSTEMS) await release(server, full.uid, { os })
    const count = async (game: GameRow) =>
      (await watchStatements(server, () => loadListing(server.deps, game.uid))).length
    expect(await count(full)).toBe(await count(empty))
  })

  test('moves its updated_at with a new stable build', async () => {
    const game = await insertPublicGame(server, owner)
    const before = (await readPage(game)).updated_at
    await Bun.sleep(2)
    await release(server, game.uid)
    expect((await readPage(game)).updated_at > before).toBe(true)
  })
})

describe('a card', () => {
  test.each([
    ['none without files', [], null, []],
    ['clean', ['clean'], 'clean', ['linux']],
    ['clean before all others', ['infected', 'error', 'scanning', 'clean'], 'clean', ['linux']],
    ['scanning before failures', ['infected', 'error', 'scanning'], 'scanning', []],
    ['an error before an infection', ['infected', 'error'], 'error', []],
    ['infected', ['infected'], 'infected', []],
  ] as const)('tells the best scan state across the stable files: %s', async (_, scans, scan, platforms) => {
    const game = await insertPublicGame(server, owner)
    const build = await insertWith(game, {}, ...scans)
    if (scans.some((state) => state === 'clean')) await settle(server, build)
    const [card] = await loadCards(server.deps, [game.uid])
    expect(card).toMatchObject({ scan, platforms: [...platforms] })
  })

  test('tells the systems stable points at now, and nothing of other channels', async () => {
    const game = await insertPublicGame(server, owner)
    await release(server, game.uid, { os: 'windows', version: '1.0.0' })
    await release(server, game.uid, { os: 'web', arch: 'wasm32' })
    await release(server, game.uid, { os: 'linux', arch: 'arm64' })
    await release(server, game.uid, { os: 'linux', arch: 'x86_64' })
    await release(server, game.uid, { os: 'macos', channel: 'beta' })
    const [card] = await loadCards(server.deps, [game.uid])
    expect(card?.platforms).toEqual(['linux', 'web', 'windows'])
  })
})

test('the listing check warns as long as no system has a clean stable build', async () => {
  const game = await insertPublicGame(server, owner)
  const wanted = expect.arrayContaining(['no_stable_build', 'no_platforms']) as string[]
  await release(server, game.uid, { channel: 'beta' })
  await insertWith(game, { version: '0.1.0' }, 'scanning')
  expect(await readWarnings(game)).toEqual(wanted)
  await release(server, game.uid)
  expect(await readWarnings(game)).not.toContain('no_stable_build')
  expect(await readWarnings(game)).not.toContain('no_platforms')
})

test('the press page tells the same systems', async () => {
  const game = await insertPublicGame(server, owner)
  await release(server, game.uid, { os: 'windows' })
  const press = await readData(await server.fetch(`/api/v1/public/games/${game.uid}/press`))
  expect(press).toMatchObject({ platforms: ['windows'] })
})
