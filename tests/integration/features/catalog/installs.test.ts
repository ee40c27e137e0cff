import { beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'

import { downloadEvents } from '../../../../src/db/schema/catalog.ts'
import { licenses } from '../../../../src/db/schema/games/game-players.ts'
import type { DownloadLink } from '../../../../src/features/catalog/downloads/model.ts'
import type { InstallableItem, InstallBuilds } from '../../../../src/features/catalog/installs/model.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { unpackBlock } from '../../../../src/lib/zip/blocks.ts'
import { decodeContents } from '../../../../src/lib/zip/contents.ts'
import {
  type FileRow,
  insertBuild,
  insertFile,
  issueDeployKey,
  pointChannel,
} from '../../../helpers/builds.ts'
import { packContents, randomBytes } from '../../../helpers/files/packed-zip.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertLicense, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { createTempDir } from '../../../helpers/processes/child.ts'
import { scanZip } from '../../../helpers/scans.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'
import { describeEachStorage } from '../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

const PLAYER = '/api/v1/player'
const SAVES = { slots: { main: { linux: ['~/.local/share/moss/*.sav'] } } }
const CONTENT: Readonly<Record<string, Buffer>> = {
  'bin/game': Buffer.from('#!/bin/sh\n'),
  'data.pck': Buffer.concat([Buffer.from(randomBytes(400_000).toString('hex')), randomBytes(200_000)]),
}

async function keyOf(person: Person, scopes: string[]): Promise<{ authorization: string }> {
  const created = await person.json('POST', '/api/v1/private/player-keys', { label: 'launcher', scopes })
  return { authorization: `Bearer ${(await readData<{ key: string }>(created)).key}` }
}

describeEachStorage('installing', (env) => {
  const server = useStore(() => ({ TRUST_PROXY: '1', ROLE: 'all', ...env() }))
  let owner: Person
  let player: Person
  let bearer: { authorization: string }
  let zip: Buffer
  beforeAll(async () => {
    owner = await signUp(server)
    player = await signUp(server)
    bearer = await keyOf(player, ['player:install'])
    zip = await packContents(CONTENT)
  })

  const get = (path: string, headers: Record<string, string> = {}) => server.fetch(PLAYER + path, { headers })

  async function publish(
    values: Parameters<typeof insertPublicGame>[2] = {},
    build: Parameters<typeof insertBuild>[2] = {},
  ): Promise<{ game: GameRow; file: FileRow }> {
    const game = await insertPublicGame(server, owner, values)
    const row = await insertBuild(server, game.uid, {
      launch: { path: 'bin/game', args: ['-x'] },
      saves: SAVES,
      ...build,
    })
    const file = await scanZip(server, row, zip)
    expect(file.scan).toBe('clean')
    return { game, file }
  }

  test('a player finds what they own, its builds, and fetches parts of a file', async () => {
    const { game, file } = await publish({ anonymousDownloads: false })
    await insertLicense(server, game.uid, player)
    const library = await readData<Paged<InstallableItem>>(await get('/library', bearer))
    const owned = library.items.find((item) => item.game.uid === game.uid)
    expect(owned?.builds).toEqual([
      {
        channel: 'stable',
        app: 'main',
        os: 'linux',
        arch: 'x86_64',
        version: '1.0.0',
        build_id: file.buildUid,
        file_uid: file.uid,
        size: zip.length,
      },
    ])

    const found = await readData<InstallBuilds>(
      await get(`/games/${game.vanityName}/builds?os=linux`, bearer),
    )
    expect(found.game).toEqual({ uid: game.uid, vanity_name: game.vanityName, name: game.name })
    const sizes = Object.values(CONTENT).reduce((sum, { length }) => sum + length, 0)
    expect(found.builds[0]?.files).toEqual([
      {
        file_uid: file.uid,
        filename: file.filename,
        size: zip.length,
        checksum: file.checksum,
        blocks: true,
        installed_size: sizes,
        launch: { path: 'bin/game', args: ['-x'] },
        saves: SAVES,
      },
    ])
    const none = await readData<InstallBuilds>(await get(`/games/${game.uid}/builds?os=windows`, bearer))
    expect(none.builds).toEqual([])

    const link = await readData<DownloadLink>(await get(`/files/${file.uid}/download`, bearer))
    const response = await get(`/files/${file.uid}/contents`, bearer)
    const entries = await decodeContents(new Uint8Array(await response.arrayBuffer()))
    const data = entries.find(({ path }) => path === 'data.pck')
    const [first, second] = data?.blocks ?? []
    if (!data || !first || !second) throw new Error('There are blocks')
    const start = data.dataAt + first.packedSize
    const range = { range: `bytes=${start}-${start + second.packedSize - 1}` }
    const part = await fetch(link.url, { headers: range })
    expect(part.status).toBe(206)
    const bytes = new Uint8Array(await part.arrayBuffer())
    expect(bytes.length).toBe(second.packedSize)
    const unpacked = await unpackBlock(bytes, second, { isDeflated: data.method === 8 })
    expect(unpacked && sha256Hex(unpacked)).toBe(second.sha256)
  })

  test('the link answers ranges, and If-Range: the part while the file is the same, the whole otherwise', async () => {
    const { file } = await publish({ anonymousDownloads: true })
    const { url } = await readData<DownloadLink>(await get(`/files/${file.uid}/download`))
    const range = 'bytes=10-19'
    const etag = (await fetch(url, { headers: { range } })).headers.get('etag') ?? ''
    expect(etag).not.toBe('')
    const same = await fetch(url, { headers: { range, 'if-range': etag } })
    expect([same.status, same.headers.get('content-range')]).toEqual([206, `bytes 10-19/${zip.length}`])
    expect(zip.subarray(10, 20).equals(Buffer.from(await same.arrayBuffer()))).toBe(true)
    const other = await fetch(url, { headers: { range, 'if-range': '"another"' } })
    const { byteLength } = await other.arrayBuffer()
    // Ceph does not know If-Range; the ETag of the part tells that it is the same file.
    if (other.status === 206) expect([other.headers.get('etag'), byteLength]).toEqual([etag, 10])
    else expect([other.status, byteLength]).toEqual([200, zip.length])
    const beyond = await fetch(url, { headers: { range: `bytes=${zip.length}-` } })
    expect(beyond.status).toBe(416)
  })

  test.skipIf(Bun.which('python3') === null)(
    'the client of the documentation installs, and updates by what changed',
    async () => {
      const { game } = await publish({ anonymousDownloads: false })
      await insertLicense(server, game.uid, player)
      const dir = await createTempDir('get')
      const docs = await Bun.file(join(import.meta.dir, '../../../../infra/docs/get.md')).text()
      const script = join(dir.path, 'get.py')
      await Bun.write(script, /```python\n([\s\S]*?)```/.exec(docs)?.[1] ?? '')
      const folder = join(dir.path, 'game')
      async function run(): Promise<number> {
        const PLAYER_KEY = bearer.authorization.slice('Bearer '.length)
        const client = Bun.spawn(['python3', script, server.url, game.vanityName, folder], {
          env: { ...process.env, PLAYER_KEY },
          stderr: 'pipe',
        })
        const [out, err] = await Promise.all([
          new Response(client.stdout).text(),
          new Response(client.stderr).text(),
        ])
        expect([await client.exited, err]).toEqual([0, ''])
        return Number(out)
      }
      const requireInstalled = async (contents: Readonly<Record<string, Buffer>>) => {
        for (const [name, bytes] of Object.entries(contents))
          expect(bytes.equals(await readFile(join(folder, name)))).toBe(true)
      }
      expect(await run()).toBeWithin(zip.length - 1000, zip.length)
      await requireInstalled(CONTENT)

      const data = CONTENT['data.pck'] ?? Buffer.alloc(0)
      const next = {
        ...CONTENT,
        'data.pck': Buffer.concat([Buffer.from('inserted'), data]),
        'new.txt': Buffer.from('new'),
      }
      const build = await insertBuild(server, game.uid, { version: '1.1.0' })
      expect((await scanZip(server, build, await packContents(next))).scan).toBe('clean')
      expect(await run()).toBeLessThan(zip.length / 3)
      await requireInstalled(next)
      expect(await run()).toBe(0)
      await dir.remove()
    },
  )

  test('an installation is one row for the developer, and so is an update', async () => {
    const { file } = await publish({ anonymousDownloads: true })
    const ask = (reason: string) =>
      get(`/files/${file.uid}/download?for=${reason}`, { 'user-agent': 'shelf/1.0' })
    for (const reason of ['install', 'continue', 'continue', 'update'])
      expect((await ask(reason)).status).toBe(200)
    expect((await ask('theft')).status).toBe(400)
    await get(`/files/${file.uid}/contents`)
    const read = async () => {
      const rows = await server.deps.db
        .select()
        .from(downloadEvents)
        .where(eq(downloadEvents.fileUid, file.uid))
      return rows.length >= 2 && rows.map(({ source, outcome }) => `${source} ${outcome}`).toSorted()
    }
    expect(await waitFor('the rows are written', read)).toEqual(['install 200', 'update 200'])
  })
})

describe('who may install', () => {
  const server = useStore({ TRUST_PROXY: '1' })
  let owner: Person
  let player: Person
  let bearer: { authorization: string }
  beforeAll(async () => {
    owner = await signUp(server)
    player = await signUp(server)
    bearer = await keyOf(player, ['player:install'])
  })

  const get = (path: string, headers: Record<string, string> = {}) => server.fetch(PLAYER + path, { headers })

  async function release(values: Parameters<typeof insertPublicGame>[2] = {}, channel = 'stable') {
    const game = await insertPublicGame(server, owner, values)
    const build = await insertBuild(server, game.uid, { channel })
    const file = await insertFile(server, build)
    await pointChannel(server, build)
    return { game, file }
  }

  test('is decided by scope and kind of credential, on every route', async () => {
    const { game, file } = await release({ anonymousDownloads: true })
    const token = await obtainToken(server, player, 'player:install')
    const agent = await obtainToken(server, player, 'mcp:catalog.read')
    const callers: Record<string, Record<string, string>> = {
      nobody: {},
      cookie: { cookie: player.cookie },
      key: bearer,
      token: { authorization: `Bearer ${token.access_token}` },
      'another scope': await keyOf(player, ['player:read', 'player:bugs']),
      'a wrong key': { authorization: 'Bearer svc_play_wrong' },
      agent: { authorization: `Bearer ${agent.access_token}` },
      'deploy key': { ...(await issueDeployKey(server, game.uid)) },
    }
    const routes: [string, string, Record<string, number>][] = [
      ['GET', '/library', { nobody: 401, cookie: 401, 'deploy key': 403, allowed: 200 }],
      ['GET', `/games/${game.uid}/builds`, { allowed: 200 }],
      ['GET', `/files/${file.uid}/download`, { allowed: 200 }],
      // The contents are not recorded yet.
      ['GET', `/files/${file.uid}/contents`, { allowed: 503 }],
      [
        'POST',
        `/games/${game.uid}/claim`,
        { nobody: 401, cookie: 401, 'deploy key': 403, key: 201, allowed: 200 },
      ],
    ]
    const refused: Record<string, number> = { 'another scope': 403, 'a wrong key': 401, agent: 403 }
    for (const [method, path, expected] of routes) {
      for (const [caller, headers] of Object.entries(callers)) {
        const { status } = await server.fetch(PLAYER + path, { method, headers })
        expect([path, caller, status]).toEqual([
          path,
          caller,
          refused[caller] ?? expected[caller] ?? expected['allowed'] ?? 0,
        ])
      }
    }
  })

  test('a paid or unclaimed game is refused as by the download routes, then given', async () => {
    const paid = await release({ priceCents: 999 })
    expect(await readFailure(await get(`/files/${paid.file.uid}/download`))).toMatchObject({
      status: 401,
      code: 4001,
    })
    for (const path of ['download', 'contents']) {
      const answer = await get(`/files/${paid.file.uid}/${path}`, bearer)
      expect(await readFailure(answer)).toMatchObject({ status: 402, code: 4023, data: { price_cents: 999 } })
    }
    const claim = (game: GameRow) =>
      server.fetch(`${PLAYER}/games/${game.uid}/claim`, { method: 'POST', headers: bearer })
    expect((await claim(paid.game)).status).toBe(402)

    const free = await release({ anonymousDownloads: false })
    expect((await get(`/files/${free.file.uid}/download`)).status).toBe(401)
    expect((await get(`/files/${free.file.uid}/download`, bearer)).status).toBe(403)
    expect((await claim(free.game)).status).toBe(201)
    expect((await get(`/files/${free.file.uid}/download`, bearer)).status).toBe(200)
  })

  test('the builds of a game are for players, and for everyone where anonymous downloads are on', async () => {
    const paid = await release({ priceCents: 999 })
    const free = await release({ anonymousDownloads: false })
    const open = await release({ anonymousDownloads: true })
    const adult = await release({ anonymousDownloads: true, adult: true, contentWarnings: ['gore'] })
    const ask = ({ game }: { game: GameRow }, headers = {}) => get(`/games/${game.uid}/builds`, headers)
    for (const one of [paid, free]) {
      expect(await readFailure(await ask(one))).toMatchObject({
        status: 401,
        code: 4001,
        data: { browse_url: expect.stringContaining(one.game.vanityName), price_cents: one.game.priceCents },
      })
      // What there is to buy or to claim.
      expect((await ask(one, bearer)).status).toBe(200)
    }
    expect((await ask(open)).status).toBe(200)
    expect((await ask(adult)).status).toBe(404)
  })

  test('a key for installing is honoured by the public download routes too', async () => {
    const { game, file } = await release({ priceCents: 999 })
    const download = (path: string, headers: Record<string, string>) =>
      server.fetch(`/api/v1/public/downloads/${file.uid}${path}`, { headers, redirect: 'manual' })
    const reader = await keyOf(player, ['player:read'])
    const reporter = await keyOf(player, ['player:bugs'])
    expect(await readFailure(await download('', bearer))).toMatchObject({ status: 402, code: 4023 })
    await insertLicense(server, game.uid, player)
    const link = await readData<DownloadLink>(await download('', bearer))
    expect(link).toMatchObject({ game_uid: game.uid, filename: file.filename })
    expect((await download('/redirect', bearer)).status).toBe(302)
    expect(await readFailure(await download('', reader))).toMatchObject({ status: 401, code: 4001 })
    expect(await readFailure(await download('', reporter))).toMatchObject({ status: 403, code: 4031 })
    expect(await readFailure(await download('', {}))).toMatchObject({ status: 401, code: 4001 })
  })

  test('beta is for players who joined it, other channels for the makers, drafts and adult pages as on the website', async () => {
    const beta = await release({}, 'beta')
    const builds = `/games/${beta.game.uid}/builds?channel=beta`
    await insertLicense(server, beta.game.uid, player)
    expect((await get(builds)).status).toBe(404)
    expect((await get(builds, bearer)).status).toBe(403)
    expect((await get(`/files/${beta.file.uid}/download`, bearer)).status).toBe(403)
    await server.deps.db.update(licenses).set({ beta: true }).where(eq(licenses.gameUid, beta.game.uid))
    expect((await readData<InstallBuilds>(await get(builds, bearer))).builds).toHaveLength(1)
    expect((await get(`/files/${beta.file.uid}/download`, bearer)).status).toBe(200)
    const library = await readData<Paged<InstallableItem>>(await get('/library', bearer))
    expect(library.items.find(({ game }) => game.uid === beta.game.uid)?.builds).toHaveLength(1)

    const nightly = await release({}, 'nightly')
    const maker = await keyOf(owner, ['player:install'])
    const path = `/games/${nightly.game.uid}/builds?channel=nightly`
    expect((await get(path, bearer)).status).toBe(404)
    expect((await readData<InstallBuilds>(await get(path, maker))).builds).toHaveLength(1)
    expect((await get(`/files/${nightly.file.uid}/download`, maker)).status).toBe(200)

    const draft = await release({ visibility: 'draft', anonymousDownloads: true })
    expect((await get(`/games/${draft.game.uid}/builds`, bearer)).status).toBe(404)
    expect((await get(`/files/${draft.file.uid}/download`, bearer)).status).toBe(404)

    const adult = await release({ adult: true, contentWarnings: ['gore'] })
    await insertLicense(server, adult.game.uid, player)
    expect((await get(`/files/${adult.file.uid}/download`)).status).toBe(404)
    expect((await get(`/files/${adult.file.uid}/download`, bearer)).status).toBe(403)
    await player.json('PATCH', '/api/v1/private/me', { adult_content: true })
    expect((await get(`/files/${adult.file.uid}/download`, bearer)).status).toBe(200)
  })
})
