import { beforeAll, describe, expect, test } from 'bun:test'

import { oldVanityNames } from '../../../../../src/db/schema/games/games.ts'
import { SCAN_STATES } from '../../../../../src/domain/builds/files.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { insertBuild, insertFile, pointChannel } from '../../../../helpers/builds.ts'
import { makeZip } from '../../../../helpers/files/zips.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame, insertPublicGame } from '../../../../helpers/listings.ts'
import { signUp } from '../../../../helpers/people.ts'
import { scanZip, storeFile } from '../../../../helpers/scans.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner)
})

const NOT_FOUND = { status: 404, code: 4040 }
const publicPath = (fileUid: string, ref = game.uid) =>
  `/api/v1/public/games/${ref}/files/${fileUid}/provenance`
const privatePath = (fileUid: string, ref = game.uid) =>
  `/api/v1/private/games/${ref}/files/${fileUid}/provenance`

describe('the public provenance of a file', () => {
  test('tells origin, build, scan history and what is inside', async () => {
    const build = await insertBuild(server, game.uid, { version: '3.1', title: 'Third' })
    const zip = makeZip([
      { name: 'b.txt', data: 'second' },
      { name: 'a/a.txt', data: 'first' },
    ])
    const file = await scanZip(server, build, zip, { source: 'deploy_key', keyLast4: 'abcd' })
    const engine = file.scanEngine
    expect(await readData<unknown>(await server.fetch(publicPath(file.uid)))).toEqual({
      file_uid: file.uid,
      filename: 'game.zip',
      size: zip.length,
      checksum: sha256Hex(zip),
      uploaded_at: file.uploadedAt.toISOString(),
      source: { kind: 'deploy_key', key_last4: 'abcd' },
      build: {
        build_id: build.uid,
        app: 'main',
        app_name: 'main',
        version: '3.1',
        build_type: 'game',
        os: 'linux',
        arch: 'x86_64',
        channel: 'stable',
        title: 'Third',
        created_at: build.createdAt.toISOString(),
        updated_at: build.updatedAt.toISOString(),
      },
      scan: {
        state: 'clean',
        engine,
        history: [
          { at: expect.any(String), state: 'scanning', engine: null, detail: null },
          { at: expect.any(String), state: 'clean', engine, detail: null },
        ],
      },
      entries: [
        { path: 'a/a.txt', size: 5, sha256: sha256Hex('first') },
        { path: 'b.txt', size: 6, sha256: sha256Hex('second') },
      ],
      entries_total: 2,
      page: 1,
      page_size: 20,
    })
  })

  test('pages the entries', async () => {
    const build = await insertBuild(server, game.uid, { version: '3.2' })
    const entries = Array.from({ length: 55 }, (_, index) => ({
      path: `file-${String(index).padStart(2, '0')}`,
      size: index,
      sha256: sha256Hex(`${index}`),
    }))
    const file = await insertFile(server, build, {}, entries)
    const read = async (query: string) =>
      await readData<{ entries: { path: string }[] }>(await server.fetch(publicPath(file.uid) + query))
    const third = await read('?page=3&page_size=10')
    expect(third).toMatchObject({ entries_total: 55, page: 3, page_size: 10 })
    expect(third.entries.map(({ path }) => path)).toEqual(entries.slice(20, 30).map(({ path }) => path))
    expect(await read('?page=0&page_size=900')).toMatchObject({ page: 1, page_size: 50 })
    expect(await read('?page=9')).toMatchObject({ entries: [], entries_total: 55 })
  })

  test.each(SCAN_STATES)('is public for a stable file that is %s', async (scan) => {
    const build = await insertBuild(server, game.uid, { version: `4-${scan}` })
    const file = await insertFile(server, build, { scan, scanDetail: null })
    expect(await readData<unknown>(await server.fetch(publicPath(file.uid)))).toMatchObject({
      scan: { state: scan },
    })
  })

  test.each(['beta', 'dev', 'nightly'])(
    'is missing for a file in %s until stable points at it',
    async (channel) => {
      const build = await insertBuild(server, game.uid, { channel, version: channel, arch: 'arm64' }, channel)
      const file = await insertFile(server, build)
      expect(await readFailure(await server.fetch(publicPath(file.uid)))).toMatchObject(NOT_FOUND)
      await pointChannel(server, build)
      expect(await readFailure(await server.fetch(publicPath(file.uid)))).toMatchObject(NOT_FOUND)
      await pointChannel(server, build, 'stable')
      expect((await server.fetch(publicPath(file.uid))).status).toBe(200)
    },
  )

  test('is missing for unknown files, other listings and listings nobody may see', async () => {
    const other = await insertPublicGame(server, owner)
    const draft = await insertGame(server, owner)
    const file = await insertFile(server, await insertBuild(server, other.uid))
    const hidden = await insertFile(server, await insertBuild(server, draft.uid))
    for (const path of [
      publicPath(file.uid),
      publicPath(crypto.randomUUID()),
      publicPath('game.zip'),
      publicPath(hidden.uid, draft.uid),
      publicPath(hidden.uid, draft.vanityName),
      publicPath(file.uid, 'no-such-listing'),
    ]) {
      expect(await readFailure(await server.fetch(path))).toMatchObject(NOT_FOUND)
    }
    expect((await server.fetch(publicPath(file.uid, other.vanityName))).status).toBe(200)
  })

  test('is found by an old name of the listing, and can be kept by caches', async () => {
    const file = await insertFile(server, await insertBuild(server, game.uid, { version: '5' }))
    const name = `old-${crypto.randomUUID().slice(0, 8)}`
    await server.deps.db.insert(oldVanityNames).values({ name, gameUid: game.uid })
    const moved = await server.fetch(publicPath(file.uid, name))
    expect(moved.status).toBe(301)
    expect(moved.headers.get('location')).toEndWith(publicPath(file.uid, game.vanityName))
    const answer = await server.fetch(publicPath(file.uid))
    expect(answer.headers.get('cache-control')).toContain('max-age')
    const etag = answer.headers.get('etag') ?? ''
    const again = await server.fetch(publicPath(file.uid), { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })
})

describe('the private provenance of a file', () => {
  test('is for the owner and accepted admins, in any channel', async () => {
    const draft = await insertGame(server, owner)
    const admin = await signUp(server)
    await insertAdmin(server, draft.uid, admin, 'accepted')
    const build = await insertBuild(server, draft.uid, { channel: 'dev' })
    const file = await storeFile(server, build, makeZip([]))
    for (const person of [owner, admin]) {
      const answer = await person.fetch(privatePath(file.uid, draft.vanityName))
      expect(await readData<unknown>(answer)).toMatchObject({
        file_uid: file.uid,
        source: { kind: 'website', key_last4: null },
        scan: { state: 'scanning', engine: null, history: [{ state: 'scanning' }] },
        entries: [],
        entries_total: 0,
      })
    }
  })

  test('is refused to everyone else', async () => {
    const stranger = await signUp(server)
    await insertAdmin(server, game.uid, stranger, 'invited')
    const draft = await insertGame(server, owner)
    const shown = await insertFile(server, await insertBuild(server, game.uid, { version: '6' }))
    const hidden = await insertFile(server, await insertBuild(server, draft.uid))
    const forbidden = await stranger.fetch(privatePath(shown.uid))
    expect(await readFailure(forbidden)).toMatchObject({ status: 403, code: 4030 })
    expect(await readFailure(await stranger.fetch(privatePath(hidden.uid, draft.uid)))).toMatchObject(
      NOT_FOUND,
    )
    expect(await readFailure(await owner.fetch(privatePath(hidden.uid)))).toMatchObject(NOT_FOUND)
    expect(await readFailure(await server.fetch(privatePath(shown.uid)))).toMatchObject({ status: 401 })
  })
})
