import { expect, test } from 'bun:test'

import type { DownloadLink } from '../../../../src/features/catalog/downloads/model.ts'
import type { Listing } from '../../../../src/features/catalog/pages/model.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { insertBuild, pointChannel } from '../../../helpers/builds.ts'
import { randomBytes } from '../../../helpers/files/packed-zip.ts'
import { makeZip, type ZipPart } from '../../../helpers/files/zips.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { runScanNow, storeFile } from '../../../helpers/scans.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { describeEachStorage } from '../../../helpers/uploads/uploads.ts'

const APK = Buffer.concat([randomBytes(300_000), Buffer.alloc(300_000)])
const FORK = { name: '__MACOSX/Game/._lantern.apk', data: 'fork' }

describeEachStorage('the package of an Android build', (env) => {
  const server = useStore(() => ({ TRUST_PROXY: '1', ...env() }))
  const owner = usePerson(server)

  async function release(parts: ZipPart[], values: Parameters<typeof insertPublicGame>[2] = {}) {
    const game = await insertPublicGame(server, owner, { anonymousDownloads: true, ...values })
    const build = await insertBuild(server, game.uid, { os: 'android', arch: 'arm64' })
    const { uid } = await storeFile(server, build, makeZip(parts))
    await runScanNow(server, uid)
    await pointChannel(server, build)
    return { game, uid }
  }

  const ask = (uid: string, query = '?as=apk') => server.fetch(`/api/v1/public/downloads/${uid}${query}`)
  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())
  const readStorePage = ({ vanityName }: GameRow) => readPage(server, `/games/${vanityName}`)

  test.each([
    ['stored', 0],
    ['deflated', 8],
  ])('is handed out by itself: %s in the zip', async (_, method) => {
    const { game, uid } = await release([
      { name: 'Game/readme.txt', data: 'x' },
      { name: 'Game/Läntern.APK', data: APK, method },
      FORK,
    ])
    const link = await readData<DownloadLink>(await ask(uid))
    expect(link).toMatchObject({ filename: 'Läntern.APK', checksum: sha256Hex(APK), game_uid: game.uid })
    expect(link.url).toStartWith(`${server.url}/objects/apk/${uid}?`)
    const answer = await fetch(link.url)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/vnd.android.package-archive')
    expect(answer.headers.get('content-disposition')).toContain("filename*=UTF-8''L%C3%A4ntern.APK")
    expect((await bytesOf(answer)).equals(APK)).toBe(true)

    const part = await fetch(link.url, { headers: { range: 'bytes=100-299' } })
    const expected = method === 0 ? [206, APK.subarray(100, 300)] : [200, APK]
    expect([part.status, await bytesOf(part)]).toEqual(expected)
    const beyond = await fetch(link.url, { headers: { range: `bytes=${APK.length}-` } })
    expect(beyond.status).toBe(method === 0 ? 416 : 200)
    await beyond.body?.cancel()

    const forged = link.url.replace(/signature=.{4}/, 'signature=AAAA')
    for (const url of [forged, link.url.replace(uid, game.uid), link.url.replace(/\?.*/, '')])
      expect((await fetch(url)).status).toBe(403)

    const zip = await readData<DownloadLink>(await ask(uid, ''))
    expect(zip).toMatchObject({ filename: 'game.zip' })
    const listing = await readData<Listing>(await server.fetch(`/api/v1/public/games/${game.uid}`))
    expect(listing.files).toMatchObject([{ file_uid: uid, apk: true }])
    const page = await readStorePage(game)
    expect(page).toContain(`/files/${uid}/download?as=apk"`)
    expect(page).toContain(`/files/${uid}/download"`)
    const path = `/games/${game.vanityName}/files/${uid}/download?as=apk`
    const led = await server.fetch(path, { redirect: 'manual' })
    expect(led.headers.get('location')).toContain(`/objects/apk/${uid}?`)
    const own = await owner.fetch(`/api/v1/private/games/${game.uid}/files/${uid}/download?as=apk`)
    expect(await readData<DownloadLink>(own)).toMatchObject({ filename: 'Läntern.APK' })
  })

  test.each<[string, ZipPart[]]>([
    ['no', [{ name: 'game.bin', data: 'x' }, FORK]],
    ['two', ['a.apk', 'b/c.apk'].map((name) => ({ name, data: 'x' }))],
  ])('is not offered where there are %s', async (_, parts) => {
    const { game, uid } = await release(parts)
    expect(await readFailure(await ask(uid))).toMatchObject({
      status: 404,
      message: expect.stringContaining('no .apk inside, or several'),
    })
    const page = await readStorePage(game)
    expect(page).toContain(`/files/${uid}/download"`)
    expect(page).not.toContain('as=apk')
  })

  test('needs the rights of the file', async () => {
    const { game, uid } = await release([{ name: 'a.apk', data: 'x' }], { anonymousDownloads: false })
    expect(await readFailure(await ask(uid))).toMatchObject({ code: 4001 })
    const stranger = await signUp(server)
    const path = `/api/v1/private/games/${game.uid}/files/${uid}/download?as=apk`
    expect((await stranger.fetch(path)).status).toBe(403)
    expect((await ask(uid, '?as=exe')).status).toBe(400)
  })
})
