import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { Video, Videos } from '../../../../src/features/listings/videos/model.ts'
import { loadStorageOfGame } from '../../../../src/features/storage/quota.ts'
import { reclaim } from '../../../../src/features/storage/reclaim.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { DAY_MS } from '../../../../src/lib/time.ts'
import { drawPng } from '../../../helpers/files/pictures.ts'
import { addVideo, box, SMALL_MP4, SMALL_WEBM } from '../../../helpers/files/video-files.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'
import { describeOnS3 } from '../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const never = new AbortController().signal

async function start(): Promise<{ owner: Person; game: GameRow }> {
  const owner = await signUp(server)
  return { owner, game: await insertGame(server, owner) }
}

const pathOf = ({ uid }: { uid: string }, rest = '') => `/api/v1/private/games/${uid}/videos${rest}`
const add = async (owner: Person, game: GameRow, sent: Parameters<typeof addVideo>[2]) =>
  await readData<Video>(await addVideo(owner, game.uid, sent))
const link = (owner: Person, game: GameRow, url: unknown) => owner.json('POST', pathOf(game), { url })
const videosOf = async (owner: Person, game: GameRow) =>
  (await readData<Videos>(await owner.fetch(pathOf(game)))).videos
const get = (video: Video, headers: Record<string, string> = {}) =>
  server.fetch(new URL(video.url).pathname, { headers })
const keyOf = ({ url }: Video) => new URL(url).pathname.slice('/media/'.length)

describe('an uploaded video', () => {
  test.each([
    ['MP4', SMALL_MP4, 'video/mp4', 'mp4'],
    ['WebM', SMALL_WEBM, 'video/webm', 'webm'],
  ])('%s is stored with its size and duration, and shown on the page', async (_, file, type, ending) => {
    const owner = await signUp(server)
    const game = await insertPublicGame(server, owner)
    const video = await add(owner, game, { file })
    expect(video).toEqual({
      uid: expect.any(String),
      kind: 'file',
      url: expect.stringMatching(new RegExp(`/media/videos/[0-9a-f-]{36}\\.${ending}$`)),
      content_type: type as 'video/mp4',
      width: 64,
      height: 36,
      duration_ms: 2000,
      poster: null,
      provider: null,
    })
    for (const path of [`/api/v1/private/games/${game.uid}`, `/api/v1/public/games/${game.uid}`]) {
      expect(await readData(await owner.fetch(path))).toMatchObject({ videos: [video] })
    }
  })

  test('is served whole, in ranges, and not again to those who have it', async () => {
    const { owner, game } = await start()
    const video = await add(owner, game, { file: SMALL_WEBM })
    const bytes = Buffer.from(await SMALL_WEBM.bytes())
    const whole = await get(video)
    expect(whole.status).toBe(200)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'video/webm',
      'accept-ranges': 'bytes',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=300, must-revalidate',
      'content-security-policy': expect.stringContaining("media-src 'self'"),
      'x-content-type-options': 'nosniff',
    })
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)

    const ranges: [string, number, number][] = [
      ['bytes=0-99', 0, 100],
      ['bytes=100-', 100, bytes.length],
      ['bytes=-50', bytes.length - 50, bytes.length],
    ]
    for (const [range, from, to] of ranges) {
      const part = await get(video, { range })
      expect(part.status).toBe(206)
      expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${bytes.length}`)
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, to))).toBe(true)
    }
    const beyond = await get(video, { range: `bytes=${bytes.length}-` })
    expect(beyond.status).toBe(416)
    const head = await server.fetch(new URL(video.url).pathname, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    const etag = whole.headers.get('etag') ?? ''
    expect((await get(video, { 'if-none-match': etag })).status).toBe(304)
    expect((await get(video, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
  })

  test('has a poster, sent with it or later, that goes with it', async () => {
    const { owner, game } = await start()
    const { uid, poster } = await add(owner, game, { poster: await drawPng(320, 180), file: SMALL_MP4 })
    expect(poster).toMatchObject({ width: 320, height: 180, url: expect.stringContaining('.webp') })
    const body = new FormData()
    body.set('file', await drawPng(64, 40), 'poster.png')
    const answer = await owner.fetch(pathOf(game, `/${uid}/poster`), { method: 'PUT', body })
    const replaced = await readData<Video>(answer)
    expect(replaced.poster).toMatchObject({ width: 64, height: 40 })
    expect(replaced.poster?.url).not.toBe(poster?.url)
    // Posters are no pictures of the page.
    expect(await readData<object>(await owner.fetch(`/api/v1/private/games/${game.uid}/images`))).toEqual({
      cover: null,
      thumbnail: null,
      gallery: [],
    })
    const { used } = await loadStorageOfGame(server.deps, game.uid)
    expect(used).toBeGreaterThan(SMALL_MP4.size)
    expect((await owner.fetch(pathOf(game, `/${uid}`), { method: 'DELETE' })).status).toBe(200)
    expect((await loadStorageOfGame(server.deps, game.uid)).used).toBe(0)
  })
})

describe('what is no video is refused, and nothing of it is kept', () => {
  const track = (handler: string) =>
    box(
      'trak',
      box('tkhd', Buffer.alloc(84)),
      box('mdia', box('hdlr', Buffer.alloc(8), Buffer.from(handler))),
    )
  const head = box('ftyp', Buffer.from('isom0000'))
  const data = box('mdat', Buffer.alloc(64))
  const cut = async (file: Blob, length: number) => (await file.bytes()).slice(0, length)

  test.each<[string, () => Promise<Uint8Array | string> | Uint8Array | string, string]>([
    ['a text', () => 'A film about a lamp.', 'file must be an MP4 or WebM video.'],
    ['nothing', () => '', 'file must be an MP4 or WebM video.'],
    ['a picture', async () => await (await drawPng(32, 18)).bytes(), 'file must be an MP4 or WebM video.'],
    ['half an MP4', () => cut(SMALL_MP4, 2000), 'file is truncated'],
    ['half a WebM', () => cut(SMALL_WEBM, 2000), 'file is truncated'],
    [
      'an MP4 of sound',
      () => Buffer.concat([head, box('moov', track('soun')), data]),
      'file has no video track.',
    ],
    ['an MP4 without an index', () => Buffer.concat([head, data]), 'file is not a complete MP4'],
    [
      'a track without a size',
      () => Buffer.concat([head, box('moov', track('vide')), data]),
      'without a size',
    ],
    [
      'boxes without end',
      () => Buffer.concat([head, ...Array.from({ length: 5000 }, () => box('free'))]),
      'too many parts',
    ],
    [
      'a box that ends before it begins',
      () => Buffer.concat([head, Buffer.from([0, 0, 0, 4]), Buffer.from('moov'), data]),
      'no valid size',
    ],
    ['EBML of nothing', () => Buffer.from('1a45dfa30000000000000000000000', 'hex'), 'is damaged'],
  ])('%s', async (_, make, message) => {
    const { owner, game } = await start()
    const before = await listKeys()
    const failure = await readFailure(
      await addVideo(owner, game.uid, { file: new File([await make()], 'film.mp4') }),
    )
    expect(failure).toMatchObject({ status: 400, code: 4000, data: { issues: [{ path: 'file' }] } })
    expect(failure.message).toContain(message)
    expect(await listKeys()).toEqual(before)
    expect(await videosOf(owner, game)).toEqual([])
  })

  async function listKeys(): Promise<string[]> {
    const keys: string[] = []
    for await (const { key } of server.deps.objects.list('videos/')) keys.push(key)
    return keys.sort()
  }

  test('a poster that is none takes its video with it', async () => {
    const { owner, game } = await start()
    const before = await listKeys()
    const sent = { file: SMALL_MP4, poster: new Blob(['no picture']) }
    expect(await readFailure(await addVideo(owner, game.uid, sent))).toMatchObject({
      code: 4000,
      data: { issues: [{ path: 'poster' }] },
    })
    expect(await listKeys()).toEqual(before)
  })

  test('more than 100 MB is 413, before anything is read where the length says so', async () => {
    const { owner, game } = await start()
    const body = new Uint8Array(64)
    const headers = {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(200 * 1024 ** 2),
    }
    const answer = await owner.fetch(pathOf(game), { method: 'POST', body, headers }).catch(() => null)
    if (answer) expect([400, 413]).toContain(answer.status)
    expect(await videosOf(owner, game)).toEqual([])
  })

  test('a file beyond the storage of the account is 413/4131', async () => {
    const { owner, game } = await start()
    await server.deps.db.update(users).set({ storageLimit: 1000 }).where(eq(users.id, owner.uid))
    const answer = await addVideo(owner, game.uid, { file: SMALL_MP4 })
    expect(await readFailure(answer)).toMatchObject({ status: 413, code: 4131 })
  })
})

describe('a link', () => {
  test.each([
    ['https://youtu.be/dQw4w9WgXcQ?si=follows', 'youtube', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    [
      'https://m.youtube.com/watch?v=dQw4w9WgXcQ&t=3s',
      'youtube',
      'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    ],
    ['https://www.youtube.com/shorts/dQw4w9WgXcQ', 'youtube', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    ['https://vimeo.com/76979871', 'vimeo', 'https://vimeo.com/76979871'],
    [
      'https://player.vimeo.com/video/76979871?h=8272103f6e',
      'vimeo',
      'https://vimeo.com/76979871/8272103f6e',
    ],
    [
      'https://tube.example/w/9c9de5e8-0a1e-484a-b099-e80766180a6d',
      'peertube',
      'https://tube.example/w/9c9de5e8-0a1e-484a-b099-e80766180a6d',
    ],
    [
      'https://tube.example/videos/watch/kkGMgK9ZtnKfYAgnEtQxbv?start=1s',
      'peertube',
      'https://tube.example/w/kkGMgK9ZtnKfYAgnEtQxbv',
    ],
  ])('%s', async (sent, provider, url) => {
    const { owner, game } = await start()
    const answer = await link(owner, game, sent)
    expect(answer.status).toBe(201)
    expect(await readData<Video>(answer)).toEqual({
      uid: expect.any(String),
      kind: 'link',
      url,
      provider: provider as 'youtube',
      content_type: null,
      width: null,
      height: null,
      duration_ms: null,
      poster: null,
    })
  })

  test('comes as a form too, with a poster', async () => {
    const { owner, game } = await start()
    const sent = { url: 'https://vimeo.com/76979871', poster: await drawPng(64, 36) }
    expect(await add(owner, game, sent)).toMatchObject({ kind: 'link', poster: { width: 64, height: 36 } })
    const body = new URLSearchParams({ url: 'https://youtu.be/dQw4w9WgXcQ' })
    expect((await owner.fetch(pathOf(game), { method: 'POST', body })).status).toBe(201)
  })

  test.each([
    'http://youtu.be/dQw4w9WgXcQ',
    'https://youtube.com/',
    'https://youtube.com/watch?v=short',
    'https://vimeo.com/channels/films',
    'https://evil.example/watch?v=dQw4w9WgXcQ',
    'https://me:secret@tube.example/w/kkGMgK9ZtnKfYAgnEtQxbv',
    'https://localhost/w/kkGMgK9ZtnKfYAgnEtQxbv',
    'javascript:alert(1)',
    `https://vimeo.com/76979871?${'x'.repeat(300)}`,
    '',
    7,
    null,
  ])('%j is refused', async (url) => {
    const { owner, game } = await start()
    expect(await readFailure(await link(owner, game, url))).toMatchObject({
      status: 400,
      code: 4000,
      data: { issues: [{ path: 'url' }] },
    })
  })
})

describe('the videos of a page', () => {
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
  })

  test('are four, in the order that is set', async () => {
    const game = await insertGame(server, owner)
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((id) => link(owner, game, `https://vimeo.com/${id}`)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4)
    const uids = (await videosOf(owner, game)).map(({ uid }) => uid)
    const turned = uids.toReversed()
    const ordered = await owner.json('PUT', pathOf(game, '/order'), { uids: turned })
    expect((await readData<Videos>(ordered)).videos.map(({ uid }) => uid)).toEqual(turned)
    for (const wrong of [
      uids.slice(1),
      [...uids.slice(1), createUid()],
      [uids[0], uids[0], uids[1], uids[2]],
    ]) {
      expect((await owner.json('PUT', pathOf(game, '/order'), { uids: wrong })).status).toBe(400)
    }
    expect((await readFailure(await addVideo(owner, game.uid, { file: SMALL_MP4 }))).message).toContain(
      'already has 4 videos',
    )
  })

  test('a deleted one is gone at once, with its bytes', async () => {
    const game = await insertGame(server, owner)
    const video = await add(owner, game, { file: SMALL_WEBM })
    expect((await get(video)).status).toBe(200)
    expect((await owner.fetch(pathOf(game, `/${video.uid}`), { method: 'DELETE' })).status).toBe(200)
    expect((await get(video)).status).toBe(404)
    expect((await owner.fetch(pathOf(game, `/${video.uid}`), { method: 'DELETE' })).status).toBe(404)
  })

  test('a deleted draft takes them with it', async () => {
    const game = await insertGame(server, owner)
    const video = await add(owner, game, { file: SMALL_WEBM, poster: await drawPng(64, 36) })
    const deleted = await owner.fetch(`/api/v1/private/games/${game.uid}`, { method: 'DELETE' })
    expect(deleted.status).toBe(200)
    expect((await get(video)).status).toBe(404)
  })

  test('the sweep leaves those that a page shows, and takes what no row names', async () => {
    const game = await insertGame(server, owner)
    const video = await add(owner, game, { file: SMALL_WEBM })
    const orphan = `videos/${createUid()}.mp4`
    await server.deps.objects.put(orphan, new Uint8Array(10))
    await reclaim(server.deps, new Date(Date.now() + 2 * DAY_MS), never)
    expect(await server.deps.objects.head(orphan)).toBeNull()
    expect((await get(video)).status).toBe(200)
    expect(await server.deps.objects.head(keyOf(video))).not.toBeNull()
  })

  test('a take-down hides them', async () => {
    const game = await insertPublicGame(server, owner)
    const video = await add(owner, game, { file: SMALL_WEBM })
    expect((await get(video)).status).toBe(200)
    const takenDown = { at: new Date().toISOString(), reason: 'A test.', visibility: 'public' } as const
    await server.deps.db.update(games).set({ visibility: 'owner', takenDown }).where(eq(games.uid, game.uid))
    const hidden = async () => (await get(video)).status === 404
    await waitFor('the video is hidden', hidden)
    expect((await get(video, { range: 'bytes=0-9' })).status).toBe(404)
  })
})

test('addresses of no video are 404', async () => {
  for (const name of [`${createUid()}.mp4`, `${createUid()}.avi`, '..%2Fx.mp4', 'x', 'a'.repeat(300)]) {
    expect((await server.fetch(`/media/videos/${name}`)).status).toBe(404)
  }
})

describeOnS3('videos', (env) => {
  const remote = useStore(() => ({ TRUST_PROXY: '1', ...env() }))

  test('are checked and served in ranges through the store', async () => {
    const owner = await signUp(remote)
    const game = await insertGame(remote, owner)
    const bytes = Buffer.from(await SMALL_MP4.bytes())
    const video = await readData<Video>(await addVideo(owner, game.uid, { file: SMALL_MP4 }))
    expect(video).toMatchObject({ width: 64, height: 36, duration_ms: 2000 })
    const path = new URL(video.url).pathname
    const whole = await remote.fetch(path)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await remote.fetch(path, { headers: { range: 'bytes=1000-1999' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${bytes.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true)
    expect((await remote.fetch(path, { headers: { range: 'bytes=99999-' } })).status).toBe(416)
    await owner.fetch(`/api/v1/private/games/${game.uid}/videos/${video.uid}`, { method: 'DELETE' })
    expect((await remote.fetch(path)).status).toBe(404)
  })
})
