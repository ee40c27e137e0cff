import { afterAll, beforeAll, expect, test } from 'bun:test'

import { Elysia } from 'elysia'

import type { ObjectStore } from '../../src/clients/objects/object-store.ts'
import { openObjectStore } from '../../src/clients/objects/open-object-store.ts'
import { AppError, toEnvelope } from '../../src/errors.ts'
import { objectLinks } from '../../src/http/output/object-links.ts'
import { makeBytes } from './object-store-bytes.ts'
import { describeEachStore } from './object-store-setup.ts'

function serveLinks(objects: Pick<ObjectStore, 'localLinks'>) {
  return new Elysia()
    .onError(({ error }) => {
      if (error instanceof AppError) return Response.json(toEnvelope(error), { status: error.status })
      throw error
    })
    .use(objectLinks(objects))
}

describeEachStore('signed links', (kind, get) => {
  let objects: ObjectStore
  let app: ReturnType<typeof serveLinks> | null = null
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => app?.handle(request) ?? new Response(null, { status: 500 }),
  })

  beforeAll(async () => {
    const linkKeys = { signing: 'new secret', previous: ['old secret'] }
    objects = await openObjectStore(get().settings, { baseUrl: server.url.origin, linkKeys })
    app = serveLinks(objects)
  })
  afterAll(async () => {
    await objects.dispose()
    await server.stop(true)
  })

  async function putLinked(name: string, filename = 'game.zip'): Promise<string> {
    await objects.put(get().key(name), makeBytes(1000))
    return (await objects.signedLink(get().key(name), { filename })).url
  }

  test('a link downloads the file under its name', async () => {
    await objects.put(get().key('whole'), makeBytes(1000))
    const link = await objects.signedLink(get().key('whole'), {
      filename: 'game.zip',
      contentType: 'application/zip',
    })
    const answer = await fetch(link.url)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/zip')
    expect(answer.headers.get('content-disposition')).toStartWith('attachment; filename="game.zip"')
    expect(answer.headers.get('accept-ranges')).toBe('bytes')
    expect(answer.headers.get('etag')).toMatch(/^".+"$/)
    expect(Buffer.from(await answer.arrayBuffer()).equals(makeBytes(1000))).toBe(true)
  })

  test('a link lives five minutes unless told otherwise', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000
    const link = await objects.signedLink(get().key('never-put'), { filename: 'a' })
    const short = await objects.signedLink(get().key('never-put'), { filename: 'a', expiresInSeconds: 10 })
    expect(link.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const life = (expiresAt: string) => (Date.parse(expiresAt) - before) / 1000
    expect(life(link.expires_at)).toBeWithin(300, 310)
    expect(life(short.expires_at)).toBeWithin(10, 20)
  })

  test.each([
    'Ünïcode – игра 🎮.zip',
    'quote".zip',
    "it's (a) *file*; x=y.zip",
    'back\\slash%20.zip',
    'line\r\nX: y.zip',
  ])('the file name %j arrives', async (filename) => {
    const answer = await fetch(await putLinked(`named/${Bun.hash(filename).toString(36)}`, filename))
    expect(answer.status).toBe(200)
    const [, encoded] =
      /filename\*=UTF-8''([^;]+)$/.exec(answer.headers.get('content-disposition') ?? '') ?? []
    expect(decodeURIComponent(encoded ?? '')).toBe(filename)
    expect(answer.headers.get('x')).toBeNull()
  })

  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=990-', 990, 1000],
    ['bytes=990-5000', 990, 1000],
    ['bytes=-10', 990, 1000],
    ['bytes=-5000', 0, 1000],
  ])('the range %s', async (Range, from, to) => {
    const answer = await fetch(await putLinked(`ranged/${Range.slice(6)}`), { headers: { Range } })
    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/1000`)
    expect(answer.headers.get('content-length')).toBe(String(to - from))
    expect(Buffer.from(await answer.arrayBuffer()).equals(makeBytes(1000).slice(from, to))).toBe(true)
  })

  test('a range past the end is 416', async () => {
    const answer = await fetch(await putLinked('past'), { headers: { Range: 'bytes=1000-' } })
    expect(answer.status).toBe(416)
  })

  test.each(['filename', 'signature', 'path'])('a link with another %s is refused', async (part) => {
    const url = new URL(await putLinked('mine'))
    await objects.put(get().key('other'), makeBytes(3))
    if (part === 'path') url.pathname = url.pathname.replace(/mine$/, 'other')
    const names =
      kind === 'folder' ? ['filename', 'signature'] : ['response-content-disposition', 'X-Amz-Signature']
    if (part === 'filename') url.searchParams.set(names[0] ?? '', 'attachment; filename="evil.exe"')
    if (part === 'signature') url.searchParams.set(names[1] ?? '', '0'.repeat(64))
    const answer = await fetch(url)
    expect(answer.status).toBe(403)
    await answer.body?.cancel()
  })

  test('an expired link is refused', async () => {
    await objects.put(get().key('late'), makeBytes(3))
    const link = await objects.signedLink(get().key('late'), { filename: 'a', expiresInSeconds: 1 })
    while (Date.parse(link.expires_at) + 1000 >= Date.now()) await Bun.sleep(50)
    expect((await fetch(link.url)).status).toBe(403)
  })

  test("a deleted file's link dies at once", async () => {
    const url = await putLinked('deleted')
    await objects.delete(get().key('deleted'))
    expect((await fetch(url)).status).toBe(404)
  })

  if (kind === 's3') return

  test('our own route: rotation, headers, If-Range, odd ranges, no stores but ours', async () => {
    const { settings, key } = get()
    const old = await openObjectStore(settings, {
      baseUrl: server.url.origin,
      linkKeys: { signing: 'old secret' },
    })
    const foreign = await openObjectStore(settings, {
      baseUrl: server.url.origin,
      linkKeys: { signing: 'foreign' },
    })
    await objects.put(key('own'), makeBytes(1000))
    const answer = await fetch((await old.signedLink(key('own'), { filename: 'a' })).url)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await fetch((await foreign.signedLink(key('own'), { filename: 'a' })).url)).status).toBe(403)
    expect((await fetch(`${server.url.origin}/objects/${key('own')}`)).status).toBe(403)

    const { url } = await objects.signedLink(key('own'), { filename: 'a' })
    const ask = async (headers: Record<string, string>) => (await fetch(url, { headers })).status
    expect(await ask({ Range: 'bytes=0-1', 'If-Range': answer.headers.get('etag') ?? '' })).toBe(206)
    expect(await ask({ Range: 'bytes=0-1', 'If-Range': '"another"' })).toBe(200)
    expect(await ask({ Range: 'bytes=0-1,5-6' })).toBe(200)
    expect(await ask({ Range: 'bytes=9-1' })).toBe(200)
    expect(await ask({ Range: 'lines=1-2' })).toBe(200)
    const past = await fetch(url, { headers: { Range: 'bytes=-0' } })
    expect([past.status, past.headers.get('content-range')]).toEqual([416, 'bytes */1000'])

    const none = serveLinks({ localLinks: null })
    expect((await none.handle(new Request(url))).status).toBe(404)
  })
})
