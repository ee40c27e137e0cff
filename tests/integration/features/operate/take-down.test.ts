import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../../src/db/schema/builds.ts'
import { images } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { DownloadLink } from '../../../../src/features/catalog/downloads/model.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { issueDeployKey } from '../../../helpers/builds.ts'
import { insertPackage, LIBRARY } from '../../../helpers/files/packages.ts'
import { BLUE, drawPng, type Paint, RED, send } from '../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertLicense, verifyEmail } from '../../../helpers/listings.ts'
import { waitForMail } from '../../../helpers/mails.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { indexNow } from '../../../helpers/search/search.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import {
  createFolderStorage,
  describeWithStorage,
  type OwnStorage,
} from '../../../helpers/uploads/own-storage.ts'
import { makeBytes } from '../../../helpers/uploads/uploads.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const BYTES = makeBytes(5000)
const REASON = 'The music belongs to somebody else.'
/** By then a picture that ends with its page has ended. */
const HIDDEN_AFTER_MS = 1000

let painted = 0

/** A picture that no other page has: pages with the same one share it. */
function pickColour(): Paint {
  painted += 1
  const border = painted / 100
  return (x) => (x < border ? RED : BLUE)
}

let storage: OwnStorage
let server: TestServer
let operator: Person
let owner: Person
let player: Person
let admin: Person

/** A store with one of everybody. */
function useTeam(createStorage: () => Promise<OwnStorage>): void {
  beforeAll(async () => {
    storage = await createStorage()
    server = await startTestServer({ TRUST_PROXY: '1', ROLE: 'all', ...storage.env })
    ;[operator, owner, player, admin] = await Promise.all([
      signUpOperator(server),
      signUp(server),
      signUp(server),
      signUp(server),
    ])
    await verifyEmail(server, owner)
  })
  afterAll(async () => {
    await server.stop()
    await storage[Symbol.asyncDispose]()
  })
}

/** A page that everything shows: search, feeds, the editors' library; with a file that can be downloaded. */
async function publish(): Promise<{ game: GameRow; fileUid: string }> {
  const unique = crypto.randomUUID().slice(0, 8)
  const name = `Quarrelsome ${unique}`
  const { game, file } = await insertPackage(server, owner, { name }, { size: BYTES.length })
  await server.deps.objects.put(file.objectKey, BYTES)
  await insertLicense(server, game.uid, player)
  await insertAdmin(server, game.uid, admin, 'accepted')
  await send(owner, `/api/v1/private/games/${game.uid}/images/cover`, await drawPng(640, 360, pickColour()))
  await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { tagline: 'Indexed now.' })
  await waitFor('the search finds it', () => isFound(game))
  return { game, fileUid: file.uid }
}

async function isFound({ name, uid }: GameRow): Promise<boolean> {
  const path = `/api/v1/public/search?q=${encodeURIComponent(name)}`
  const { items } = await readData<{ items: { uid: string }[] }>(await server.fetch(path))
  return items.some((item) => item.uid === uid)
}

async function isInSitemap({ vanityName }: GameRow): Promise<boolean> {
  // From an address of its own, because the limit of one would end a wait for a cached list.
  const headers = { 'x-forwarded-for': randomAddress() }
  return (await (await server.fetch('/api/v1/public/sitemap', { headers })).text()).includes(vanityName)
}

async function isInLibrary({ name }: GameRow): Promise<boolean> {
  const answer = await server.fetch(`${LIBRARY}/asset?filter=${encodeURIComponent(name)}`)
  return (await answer.text()).includes(name)
}

/** Where the page can be met, with whether it is there. */
async function meet(game: GameRow, fileUid: string): Promise<Record<string, boolean>> {
  const { username } = await readData<{ username: string }>(await owner.fetch('/api/v1/private/me'))
  const text = async (path: string) => await (await server.fetch(path)).text()
  const isThere = async (path: string) => (await server.fetch(path)).status < 400
  return {
    search: await isFound(game),
    'asset library': await isInLibrary(game),
    feed: (await text('/feed.xml')).includes(game.vanityName),
    sitemap: await isInSitemap(game),
    developer: (await text(`/api/v1/public/user/${username}`)).includes(game.vanityName),
    listing: await isThere(`/api/v1/public/games/${game.uid}`),
    page: await isThere(`/games/${game.vanityName}`),
    press: await isThere(`/api/v1/public/games/${game.vanityName}/press`),
    'anonymous link': await isThere(`/api/v1/public/downloads/${fileUid}`),
    'player’s page': (await player.fetch(`/games/${game.vanityName}`)).status < 400,
    ...(await meetFiles(game, fileUid)),
  }
}

/** The ways to the bytes of the page, and to what is inside them. */
async function meetFiles(game: GameRow, fileUid: string): Promise<Record<string, boolean>> {
  const isFine = async (answer: Promise<Response>) => (await answer).status < 400
  const file = `/api/v1/private/games/${game.uid}/files/${fileUid}`
  const key = await issueDeployKey(server, game.uid)
  const [build] = await server.deps.db.select().from(files).where(eq(files.uid, fileUid))
  const fields = { build_id: build?.buildUid ?? '', filename: 'next.zip', base_file_uid: fileUid }
  const session = server.fetch('/api/v1/tool/upload/sessions', {
    method: 'POST',
    body: JSON.stringify({ ...fields, total_size: 10, checksum: '0'.repeat(64) }),
    headers: { ...key, 'content-type': 'application/json' },
  })
  const entries = server.fetch(`/api/v1/tool/upload/files/${fileUid}/entries`, { headers: { ...key } })
  const contents = server.fetch(`/api/v1/tool/upload/files/${fileUid}/contents`, { headers: { ...key } })
  const picture = await pictureOf(game)
  return {
    'player’s link': await isFine(player.fetch(`${file}/download`)),
    'owner’s link': await isFine(owner.fetch(`${file}/download`)),
    'admin’s link': await isFine(admin.fetch(`${file}/download`)),
    'owner’s download page': await isFine(
      owner.fetch(`/games/${game.vanityName}/files/${fileUid}/download`, { redirect: 'manual' }),
    ),
    provenance: await isFine(server.fetch(`/api/v1/public/games/${game.uid}/files/${fileUid}/provenance`)),
    'owner’s provenance': await isFine(owner.fetch(`${file}/provenance`)),
    'entries for a deploy key': await isFine(entries),
    // They are recorded on the first request.
    'contents for a deploy key': [200, 503].includes((await contents).status),
    'base of an upload': await isFine(session),
    'press kit': await isFine(server.fetch(`/api/v1/public/games/${game.vanityName}/press.zip`)),
    picture: await isFine(server.fetch(`/media/${picture}.webp`)),
    'owner’s picture': await isFine(owner.fetch(`/media/${picture}.webp`)),
    'smaller picture': await isFine(server.fetch(`/media/${picture}-small.jpg`)),
    'known picture': await isFine(
      server.fetch(`/media/${picture}.webp`, { headers: { 'if-none-match': `"${picture}"` } }),
    ),
  }
}

/** The hash in its address. */
async function pictureOf({ uid }: GameRow): Promise<string> {
  const [image] = await server.deps.db.select().from(images).where(eq(images.gameUid, uid))
  return image?.objectKey.slice('images/'.length, -'.webp'.length) ?? ''
}

const everywhere = (facts: Record<string, boolean>, isThere: boolean) =>
  Object.fromEntries(Object.keys(facts).map((place) => [place, isThere]))

describeWithStorage('taking a page down', (createStorage) => {
  useTeam(createStorage)

  test('removes it everywhere within a second, and undo restores it all', async () => {
    const { game, fileUid } = await publish()
    const before = await meet(game, fileUid)
    expect(before).toEqual(everywhere(before, true))
    const { url } = await readData<DownloadLink>(await server.fetch(`/api/v1/public/downloads/${fileUid}`))
    expect((await fetch(url)).status).toBe(200)

    const answer = await act(operator, `listings/${game.uid}/take-down`, { reason: REASON })
    expect(await readData<object>(answer)).toMatchObject({
      visibility: 'owner',
      taken_down: { reason: REASON, visibility: 'public' },
    })
    await waitFor('the signed link ended', async () => (await fetch(url)).status === 404, PROMPT_MS)
    await waitFor('the sitemap forgets it', async () => !(await isInSitemap(game)), PROMPT_MS)
    const picture = `/media/${await pictureOf(game)}.webp`
    await waitFor('the picture ended', async () => (await server.fetch(picture)).status === 404, PROMPT_MS)
    const during = await meet(game, fileUid)
    expect(during).toEqual(everywhere(during, false))

    // Otherwise the search could still know it from before when it is restored, and forget it afterwards.
    await indexNow(server)
    expect((await act(operator, `listings/${game.uid}/restore`)).status).toBe(200)
    await waitFor('the search finds it again', async () => (await isFound(game)) && isInLibrary(game))
    // The list of pages for search engines may be five seconds old.
    await waitFor('the sitemap has it again', () => isInSitemap(game))
    await waitFor(
      'the picture is there again',
      async () => (await server.fetch(picture)).status === 200,
      PROMPT_MS,
    )
    expect(await meet(game, fileUid)).toEqual(before)
    const [row] = await server.deps.db.select().from(games).where(eq(games.uid, game.uid))
    expect(row).toMatchObject({
      takenDown: null,
      publicSince: game.publicSince,
      publishedAt: game.publishedAt,
    })
    const link = await readData<DownloadLink>(await server.fetch(`/api/v1/public/downloads/${fileUid}`))
    expect(sha256Hex(new Uint8Array(await (await fetch(link.url)).arrayBuffer()))).toBe(sha256Hex(BYTES))
    const rest = await Array.fromAsync(server.deps.objects.list(`builds/${game.uid}/`))
    const named = await server.deps.db.select().from(files).where(eq(files.gameUid, game.uid))
    expect(rest.map(({ key }) => key)).toEqual(named.map(({ objectKey }) => objectKey))
  })

  test('leaves operators what they judge by, and nobody keeps it in a cache', async () => {
    const { game, fileUid } = await publish()
    await act(operator, `listings/${game.uid}/take-down`, { reason: REASON })
    const picture = `/media/${await pictureOf(game)}.webp`
    await waitFor('the picture ended', async () => (await server.fetch(picture)).status === 404, PROMPT_MS)
    expect((await server.fetch(picture)).headers.get('cache-control')).toBe('private, no-store')
    const seen = await operator.fetch(picture)
    expect([seen.status, seen.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    const file = `/api/v1/private/games/${game.uid}/files/${fileUid}`
    const link = await readData<DownloadLink>(await operator.fetch(`${file}/download`))
    expect((await fetch(link.url)).status).toBe(200)
    const refused = await readFailure(await owner.fetch(`${file}/download`))
    expect(refused).toMatchObject({ status: 403, code: 4030, message: expect.stringContaining(REASON) })
  })
})

describe('a page that was taken down', () => {
  useTeam(createFolderStorage)

  test('leaves a picture that another page shows too', async () => {
    const { game } = await publish()
    const other = await insertPackage(server, owner, { name: `Other ${crypto.randomUUID().slice(0, 8)}` })
    const [image] = await server.deps.db.select().from(images).where(eq(images.gameUid, game.uid))
    if (!image) throw new Error('The page has no picture')
    await server.deps.db.insert(images).values({ ...image, uid: createUid(), gameUid: other.game.uid })
    await act(operator, `listings/${game.uid}/take-down`, { reason: REASON })
    await waitFor(
      'the page ended',
      async () => (await server.fetch(`/games/${game.vanityName}`)).status === 404,
    )
    await Bun.sleep(HIDDEN_AFTER_MS)
    expect((await server.fetch(`/media/${await pictureOf(game)}.webp`)).status).toBe(200)
  })

  test('shows its owner why, by page and by mail; operators see the page too', async () => {
    const { game } = await publish()
    await act(operator, `listings/${game.uid}/take-down`, { reason: REASON })
    const html = { headers: { accept: 'text/html' } }
    for (const person of [owner, operator]) {
      const page = await person.fetch(`/games/${game.vanityName}`, html)
      expect([page.status, (await page.text()).includes(REASON)]).toEqual([200, true])
    }
    const shown = await owner.fetch(`/api/v1/private/games/${game.uid}`)
    expect(await readData<object>(shown)).toMatchObject({ taken_down: { reason: REASON } })
    const mail = await waitForMail(server, owner.email, `${game.name} was taken down`)
    expect(mail.text).toContain(REASON)
  })

  test('is published or deleted by neither owner nor admin until it is restored', async () => {
    const { game } = await publish()
    await act(operator, `listings/${game.uid}/take-down`, { reason: REASON })
    for (const visibility of ['public', 'invisible', 'draft', 'owner']) {
      const path = `/api/v1/private/games/${game.uid}/visibility`
      expect(await readFailure(await owner.json('PUT', path, { visibility }))).toMatchObject({
        status: 403,
        code: 4030,
        message: expect.stringContaining(REASON),
      })
    }
    expect((await owner.json('DELETE', `/api/v1/private/games/${game.uid}`)).status).toBe(403)
    const opened = server.deps.db.update(games).set({ visibility: 'public' }).where(eq(games.uid, game.uid))
    expect(opened.execute()).rejects.toThrow()
  })

  test('comes back as a draft if it no longer passes the check', async () => {
    const { game } = await publish()
    await act(operator, `listings/${game.uid}/take-down`, { reason: REASON })
    expect((await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { tags: [] })).status).toBe(200)
    const answer = await act(operator, `listings/${game.uid}/restore`)
    expect(await readData<object>(answer)).toMatchObject({ visibility: 'draft', taken_down: null })
  })

  test('needs a reason, and happens once', async () => {
    const { game } = await publish()
    for (const body of [undefined, {}, { reason: '  ' }, { reason: 'x'.repeat(1001) }]) {
      expect((await act(operator, `listings/${game.uid}/take-down`, body)).status).toBe(400)
    }
    expect((await act(operator, `listings/${game.uid}/restore`)).status).toBe(409)
    await act(operator, `listings/${game.uid}/take-down`, { reason: REASON })
    expect((await act(operator, `listings/${game.uid}/take-down`, { reason: REASON })).status).toBe(409)
    expect((await act(operator, `listings/${crypto.randomUUID()}/restore`)).status).toBe(404)
  })
})
