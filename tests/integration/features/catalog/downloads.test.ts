import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../../src/db/schema/builds.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { ScanState } from '../../../../src/domain/builds/files.ts'
import type { DownloadLink } from '../../../../src/features/catalog/downloads/model.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type FileRow, insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { randomAddress, signUp } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const BYTES = new TextEncoder().encode('PK, and so on')
const FREE = { anonymousDownloads: true }

function ask(fileUid: string, init: RequestInit = {}, address = randomAddress()) {
  const headers = new Headers(init.headers)
  headers.set('x-forwarded-for', address)
  return server.fetch(`/api/v1/public/downloads/${fileUid}`, { ...init, headers })
}

/** A stable file with its object, of a free listing that allows anonymous downloads. */
async function offerFile(values: Parameters<typeof insertPublicGame>[2] = {}): Promise<[FileRow, GameRow]> {
  const game = await insertPublicGame(server, owner, { ...FREE, ...values })
  const build = await insertBuild(server, game.uid)
  await pointChannel(server, build)
  const file = await insertFile(server, build, { filename: 'lighthouse.zip' })
  await server.deps.objects.put(file.objectKey, BYTES)
  return [file, game]
}

describe('signed-out downloads', () => {
  test('answer with a link that gives the file for five minutes', async () => {
    const [file, game] = await offerFile()
    const answer = await ask(file.uid)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const link = await readData<DownloadLink>(answer)
    expect(link).toEqual({
      url: expect.any(String),
      expires_at: expect.any(String),
      expires_in: 300,
      filename: 'lighthouse.zip',
      checksum: file.checksum,
      game_uid: game.uid,
    })
    const seconds = (Date.parse(link.expires_at) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(290)
    expect(seconds).toBeLessThanOrEqual(300)

    const download = await fetch(link.url)
    expect(download.status).toBe(200)
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(BYTES)
    expect(download.headers.get('content-type')).toBe('application/zip')
    expect(download.headers.get('content-disposition')).toContain('filename="lighthouse.zip"')
  })

  test('can be redirected to the same link', async () => {
    const [file] = await offerFile()
    const answer = await ask(`${file.uid}/redirect`)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('ratelimit-limit')).toBe('60')
    const location = answer.headers.get('location') ?? ''
    expect(await (await fetch(location)).text()).toBe('PK, and so on')
  })

  test('give no library entry, whoever asks', async () => {
    const [file] = await offerFile()
    const player = await signUp(server)
    const { key } = await readData<{ key: string }>(
      await player.json('POST', '/api/v1/private/player-keys', { label: 'x' }),
    )
    expect((await ask(file.uid, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
    expect(await readData(await player.fetch('/api/v1/private/library'))).toMatchObject({ total: 0 })
    const bad = await ask(file.uid, { headers: { authorization: 'Bearer nonsense' } })
    expect(await readFailure(bad)).toMatchObject({ status: 401, code: 4010 })
  })

  test.each([
    ['public', {}, 200],
    ['invisible', { visibility: 'invisible' }, 200],
    ['a draft', { visibility: 'draft' }, 4040],
    ['for its owner only', { visibility: 'owner' }, 4040],
    ['adult', { adult: true }, 4040],
    ['adult and paid', { adult: true, anonymousDownloads: false, priceCents: 999 }, 4040],
    ['without the setting', { anonymousDownloads: false }, 4001],
    ['paid', { anonymousDownloads: false, priceCents: 999 }, 4001],
    ['paid, the setting left on', { priceCents: 999 }, 4001],
  ] as const)('of a listing that is %s', async (_, values, outcome) => {
    const [file] = await offerFile(values)
    for (const path of [file.uid, `${file.uid}/redirect`]) {
      const answer = await ask(path)
      if (outcome === 200) expect([200, 302]).toContain(answer.status)
      else {
        const status = outcome === 4001 ? 401 : 404
        expect(await readFailure(answer)).toMatchObject({ status, code: outcome })
      }
    }
  })

  test('tell where to sign in, and the price', async () => {
    const [paid, game] = await offerFile({ anonymousDownloads: false, priceCents: 999 })
    expect(await readFailure(await ask(paid.uid))).toMatchObject({
      status: 401,
      code: 4001,
      data: { browse_url: `${server.url}/games/${game.vanityName}`, price_cents: 999 },
    })
    const [free] = await offerFile({ anonymousDownloads: false })
    expect(await readFailure(await ask(free.uid))).toMatchObject({ code: 4001, data: { price_cents: 0 } })
  })

  test.each([
    ['a uid nobody has', () => createUid()],
    ['no uid at all', () => 'setup.exe'],
    ['a text with a quote', () => "'--"],
  ])('%s is 404/4040', async (_, name) => {
    expect(await readFailure(await ask(encodeURIComponent(name())))).toMatchObject({
      status: 404,
      code: 4040,
    })
  })

  type Row = [scan: ScanState, registered: string, pointed: string[], isFree: boolean, outcome: number]
  test.each<Row>([
    ['clean', 'stable', ['stable'], true, 200],
    ['clean', 'beta', ['beta', 'stable'], true, 200],
    ['clean', 'stable', [], true, 4040],
    ['clean', 'beta', ['beta'], true, 4040],
    ['clean', 'dev', ['dev'], true, 4040],
    ['scanning', 'stable', [], true, 4099],
    ['scanning', 'stable', ['stable'], true, 4099],
    ['scanning', 'beta', ['stable'], true, 4099],
    ['scanning', 'beta', ['beta'], true, 4040],
    ['scanning', 'nightly', [], true, 4040],
    ['infected', 'stable', ['stable'], true, 4040],
    ['error', 'stable', ['stable'], true, 4040],
    ['scanning', 'stable', [], false, 4001],
    ['clean', 'stable', [], false, 4040],
    ['infected', 'stable', ['stable'], false, 4040],
  ])('a file that is %s, registered on %s, shown on %p, allowed %p: %d', async (...row) => {
    const [scan, channel, pointed, isFree, outcome] = row
    const game = await insertPublicGame(server, owner, { anonymousDownloads: isFree })
    const build = await insertBuild(server, game.uid, { channel })
    for (const shown of pointed) await pointChannel(server, build, shown)
    const file = await insertFile(server, build, { scan })
    const status = { 200: 200, 4001: 401, 4040: 404, 4099: 409 }[outcome]
    const answer = await ask(file.uid)
    if (outcome === 200) expect(answer.status).toBe(200)
    else expect(await readFailure(answer)).toMatchObject({ status, code: outcome })
  })

  test('end for a build when stable moves on', async () => {
    const [file, game] = await offerFile()
    expect((await ask(file.uid)).status).toBe(200)
    await pointChannel(server, await insertBuild(server, game.uid, { version: '2.0.0' }))
    expect(await readFailure(await ask(file.uid))).toMatchObject({ status: 404, code: 4040 })
  })

  test('take a uid in capital letters too', async () => {
    const [file] = await offerFile()
    expect((await ask(file.uid.toUpperCase())).status).toBe(200)
  })

  test('are possible for every app of a project', async () => {
    const game = await insertPublicGame(server, owner, FREE)
    const build = await insertBuild(server, game.uid, {}, 'server')
    await pointChannel(server, build)
    expect((await ask((await insertFile(server, build)).uid)).status).toBe(200)
  })

  test('a link lives on when the setting is turned off, and dies with the file', async () => {
    const [file, game] = await offerFile()
    const { url } = await readData<DownloadLink>(await ask(file.uid))
    await server.deps.db.update(games).set({ anonymousDownloads: false }).where(eq(games.uid, game.uid))
    expect(await readFailure(await ask(file.uid))).toMatchObject({ status: 401, code: 4001 })
    expect((await fetch(url)).status).toBe(200)
    await server.deps.db.delete(files).where(eq(files.uid, file.uid))
    await server.deps.objects.delete(file.objectKey)
    expect((await fetch(url)).status).toBe(404)
    expect(await readFailure(await ask(file.uid))).toMatchObject({ status: 404, code: 4040 })
  })

  test('are 503/5030 when the link cannot be signed', async () => {
    const [file] = await offerFile()
    const { objects } = server.deps
    const { signedLink } = objects
    objects.signedLink = async () => {
      throw new Error('no key')
    }
    try {
      expect(await readFailure(await ask(file.uid))).toMatchObject({ status: 503, code: 5030 })
    } finally {
      objects.signedLink = signedLink
    }
  })

  test('are 60 a minute for an address, redirects counted in', async () => {
    const [file] = await offerFile()
    const address = randomAddress()
    for (let done = 0; done < 30; done += 1) {
      expect((await ask(file.uid, {}, address)).status).toBe(200)
      expect((await ask(`${file.uid}/redirect`, {}, address)).status).toBe(302)
    }
    for (const path of [file.uid, `${file.uid}/redirect`]) {
      const answer = await ask(path, {}, address)
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await readFailure(answer)).toMatchObject({ status: 429, code: 4290 })
    }
    expect((await ask(file.uid)).status).toBe(200)
  })
})
