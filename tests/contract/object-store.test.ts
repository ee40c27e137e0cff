import { expect, test } from 'bun:test'

import { failingStream, makeBytes, MIB, readAll, sameBytes, streamOf } from './object-store-bytes.ts'
import { describeEachStore } from './object-store-setup.ts'

describeEachStore('objects', (_kind, get) => {
  test.each([0, 1, 5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 19 * MIB + 7])(
    'a body of %d bytes and unknown length comes back whole',
    async (size) => {
      const { objects, key } = get()
      const bytes = makeBytes(size)
      const info = await objects.put(key(`size/${size}`), streamOf(bytes))
      expect(info.size).toBe(size)
      expect(sameBytes(await readAll(objects, key(`size/${size}`)), bytes)).toBe(true)
    },
  )

  test('what was put is described: size, type, tag and time', async () => {
    const { objects, key } = get()
    const put = await objects.put(key('cover.webp'), makeBytes(10), { contentType: 'image/webp' })
    const head = await objects.head(key('cover.webp'))
    expect(head).toEqual(put)
    expect(head).toMatchObject({ key: key('cover.webp'), size: 10, contentType: 'image/webp' })
    expect(head?.etag).toMatch(/^".+"$/)
    expect(Math.abs(Date.now() - (head?.modifiedAt.getTime() ?? 0))).toBeLessThan(60_000)
  })

  test('a second put replaces bytes and type', async () => {
    const { objects, key } = get()
    const first = await objects.put(key('again'), makeBytes(10), { contentType: 'image/png' })
    const second = await objects.put(key('again'), makeBytes(20))
    expect(second).toMatchObject({ size: 20, contentType: 'application/octet-stream' })
    expect(second.etag).not.toBe(first.etag)
  })

  test('a missing object has no head and cannot be read', async () => {
    const { objects, key } = get()
    expect(await objects.head(key('missing'))).toBeNull()
    expect(objects.get(key('missing'))).rejects.toMatchObject({ kind: 'not_found' })
  })

  test.each([
    ['from the middle', { start: 3, end: 6 }, 3, 7],
    ['from a place to the end', { start: 7 }, 7, 10],
    ['past the end', { start: 8, end: 99 }, 8, 10],
    ['the last bytes', { suffix: 4 }, 6, 10],
    ['a suffix longer than the object', { suffix: 99 }, 0, 10],
  ])('a range %s', async (name, range, from, to) => {
    const { objects, key } = get()
    const bytes = makeBytes(10)
    const object = key(`range/${name.replaceAll(' ', '-')}`)
    await objects.put(object, bytes)
    const read = await objects.get(object, range)
    expect(await Bun.readableStreamToBytes(read.stream)).toEqual(bytes.slice(from, to))
    expect(read.size).toBe(to - from)
    expect(read.info.size).toBe(10)
  })

  test('a range outside the object is refused', async () => {
    const { objects, key } = get()
    await objects.put(key('short'), makeBytes(10))
    expect(objects.get(key('short'), { start: 10 })).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  test('reads that are given up early do not use up the connections', async () => {
    const { objects, key } = get()
    await objects.put(key('given-up'), makeBytes(4 * MIB))
    for (let round = 0; round < 60; round++) {
      const reader = (await objects.get(key('given-up'))).stream.getReader()
      await reader.read()
      await reader.cancel()
    }
    expect((await readAll(objects, key('given-up'))).length).toBe(4 * MIB)
  })

  test('deleting removes, and again does nothing', async () => {
    const { objects, key } = get()
    await objects.put(key('doomed'), makeBytes(5), { contentType: 'text/plain' })
    await objects.delete(key('doomed'))
    expect(await objects.head(key('doomed'))).toBeNull()
    await objects.delete(key('doomed'))
  })

  test('a copy has the bytes and the type, and lives on without its source', async () => {
    const { objects, key } = get()
    await objects.put(key('source'), makeBytes(100), { contentType: 'image/png' })
    const copy = await objects.copy(key('source'), key('deep/down/copy'))
    await objects.delete(key('source'))
    expect(copy).toMatchObject({ key: key('deep/down/copy'), size: 100, contentType: 'image/png' })
    expect(await readAll(objects, key('deep/down/copy'))).toEqual(makeBytes(100))
    expect(objects.copy(key('source'), key('other'))).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a list walks every key of a prefix in order, and no other', async () => {
    const { objects, key } = get()
    const names = ['list/a', 'list/a-b', 'list/b/c', 'list/b/d', 'list/b.x', 'listless']
    for (const name of names) await objects.put(key(name), makeBytes(name.length))
    const list = async (prefix: string) =>
      (await Array.fromAsync(objects.list(key(prefix)))).map((info) => info.key)
    expect(await list('list/')).toEqual(['list/a', 'list/a-b', 'list/b.x', 'list/b/c', 'list/b/d'].map(key))
    expect(await list('list/b')).toEqual(['list/b.x', 'list/b/c', 'list/b/d'].map(key))
    expect(await list('list/none/')).toEqual([])
    const [first] = await Array.fromAsync(objects.list(key('list/a')))
    expect(first?.size).toBe('list/a'.length)
  })

  test.each([100, 20 * MIB])('a body that fails after %d bytes leaves nothing to read', async (size) => {
    const { objects, key } = get()
    const failure = new Error('the line broke')
    const put = objects.put(key(`failed/${size}`), failingStream(makeBytes(size), failure))
    expect(await put.catch((error: unknown) => error)).toBe(failure)
    expect(await objects.head(key(`failed/${size}`))).toBeNull()
    expect(await Array.fromAsync(objects.list(key('failed/')))).toEqual([])
  })

  test('an aborted put stops reading, leaves nothing new and keeps what was there', async () => {
    const { objects, key } = get()
    await objects.put(key('kept'), makeBytes(3))
    const controller = new AbortController()
    const { promise: cancelled, resolve } = Promise.withResolvers<void>()
    const endless = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(makeBytes(1000)),
      pull: () => controller.abort(new Error('the client left')),
      cancel: () => resolve(),
    })
    const put = objects.put(key('kept'), endless, { signal: controller.signal })
    expect(put).rejects.toThrow('the client left')
    await cancelled
    expect(await readAll(objects, key('kept'))).toEqual(makeBytes(3))
  })

  test.each([
    '',
    '/',
    'a//b',
    '/a',
    'a/',
    '.',
    '..',
    '../a',
    'a/../b',
    'a/..',
    '.hidden',
    'a b',
    'ä',
    'a\\b',
    'a\0b',
  ])('the key %j is refused everywhere', async (bad) => {
    const { objects, key } = get()
    await objects.put(key('good'), makeBytes(1))
    const refused = { kind: 'invalid_request' }
    expect(objects.put(bad, makeBytes(1))).rejects.toMatchObject(refused)
    expect(objects.get(bad)).rejects.toMatchObject(refused)
    expect(objects.head(bad)).rejects.toMatchObject(refused)
    expect(objects.delete(bad)).rejects.toMatchObject(refused)
    expect(objects.copy(key('good'), bad)).rejects.toMatchObject(refused)
    expect(objects.copy(bad, key('good'))).rejects.toMatchObject(refused)
    expect(objects.openUpload(bad)).rejects.toMatchObject(refused)
    expect(objects.signedLink(bad, { filename: 'x' })).rejects.toMatchObject(refused)
  })

  test('a healthy store passes its check', async () => {
    await get().objects.check()
  })
})
