import { expect, test } from 'bun:test'
import { join } from 'node:path'

import type { ObjectStore } from '../../src/clients/objects/object-store.ts'
import { openObjectStore } from '../../src/clients/objects/open-object-store.ts'
import { failingStream, makeBytes, MIB, readAll, sameBytes, streamOf } from './object-store-bytes.ts'
import { describeEachStore } from './object-store-setup.ts'

const APPENDER = join(import.meta.dir, 'object-store-appender.ts')

/** Sends `bytes` from where the upload stands, in pieces, and checks the size after each. */
async function sendPieces(
  objects: ObjectStore,
  upload: string,
  bytes: Uint8Array,
  pieces: number[],
): Promise<void> {
  let sent = await objects.uploadSize(upload)
  for (const piece of pieces) {
    const end = Math.min(sent + piece, bytes.length)
    expect(await objects.append(upload, streamOf(bytes.subarray(sent, end)))).toBe(end)
    expect(await objects.uploadSize(upload)).toBe(end)
    sent = end
  }
}

describeEachStore('resumable uploads', (_kind, get) => {
  test.each([
    ['nothing at all', []],
    ['one byte', [1]],
    ['tiny chunks', Array.from({ length: 30 }, () => 1000)],
    ['just under the smallest S3 part, then one byte, then one more', [5 * MIB - 1, 1, 1]],
    ['just under a whole part, then one byte, then one more', [8 * MIB - 1, 1, 1]],
    ['one byte more than a part', [8 * MIB + 1]],
    ['the chunks of the command-line uploader', [16 * MIB, 16 * MIB, 5]],
    ['a tail that grows over two parts', [3 * MIB, 17 * MIB, 2 * MIB, 7]],
    ['an empty append in between', [9 * MIB, 0, 100]],
  ])('%s', async (name, pieces) => {
    const { objects, key } = get()
    const bytes = makeBytes(pieces.reduce((sum, piece) => sum + piece, 0))
    const object = key(name.replaceAll(/[ ,]+/g, '-'))
    const upload = await objects.openUpload(object)
    await sendPieces(objects, upload, bytes, pieces)
    expect(await objects.head(object)).toBeNull()
    const info = await objects.completeUpload(upload)
    expect(info.size).toBe(bytes.length)
    expect(sameBytes(await readAll(objects, object), bytes)).toBe(true)
  })

  test('each piece of the body is released in order, and may be freed then', async () => {
    const { objects, key } = get()
    const bytes = makeBytes(17 * MIB + 5)
    const released = new Bun.CryptoHasher('sha256')
    const release = (piece: Uint8Array) => {
      released.update(piece)
      ;(piece.buffer as ArrayBuffer).transfer(0)
    }
    const upload = await objects.openUpload(key('released'))
    await objects.append(upload, streamOf(bytes.subarray(0, 9 * MIB)), { release })
    await objects.append(upload, streamOf(bytes.subarray(9 * MIB)), { release })
    await objects.completeUpload(upload)
    await objects.put(key('released-too'), streamOf(bytes), { release })
    expect(sameBytes(await readAll(objects, key('released')), bytes)).toBe(true)
    expect(sameBytes(await readAll(objects, key('released-too')), bytes)).toBe(true)
    expect(released.digest('hex')).toBe(
      new Bun.CryptoHasher('sha256').update(bytes).update(bytes).digest('hex'),
    )
  })

  test('a caller that has just read the size continues after whole parts and after a tail', async () => {
    const { objects, key } = get()
    const bytes = makeBytes(27 * MIB)
    const upload = await objects.openUpload(key('known-size'))
    for (const end of [16 * MIB, 24 * MIB, 25 * MIB, 27 * MIB]) {
      const size = await objects.uploadSize(upload)
      expect(await objects.append(upload, streamOf(bytes.subarray(size, end)), { size })).toBe(end)
    }
    await objects.completeUpload(upload)
    expect(sameBytes(await readAll(objects, key('known-size')), bytes)).toBe(true)
  })

  test('completing again answers the same, also from another process', async () => {
    const { objects, settings, key } = get()
    const upload = await objects.openUpload(key('twice'))
    await objects.append(upload, makeBytes(9 * MIB))
    const info = await objects.completeUpload(upload)
    expect(await objects.completeUpload(upload)).toEqual(info)
    const other = await openObjectStore(settings, { baseUrl: '', linkKeys: { signing: 'x' } })
    expect(await other.completeUpload(upload)).toEqual(info)
    await other.dispose()
  })

  test('completing does not take another object at the key for its own', async () => {
    const { objects, key } = get()
    const upload = await objects.openUpload(key('contested'))
    await objects.abortUpload(upload)
    await objects.put(key('contested'), makeBytes(4))
    expect(objects.completeUpload(upload)).rejects.toMatchObject({ kind: 'upload_session_gone' })
  })

  test('an aborted upload is gone, and aborting again does nothing', async () => {
    const { objects, key } = get()
    const gone = { kind: 'upload_session_gone' }
    const upload = await objects.openUpload(key('aborted'))
    await objects.append(upload, makeBytes(9 * MIB))
    await objects.abortUpload(upload)
    await objects.abortUpload(upload)
    expect(objects.uploadSize(upload)).rejects.toMatchObject(gone)
    expect(objects.append(upload, makeBytes(1))).rejects.toMatchObject(gone)
    expect(objects.completeUpload(upload)).rejects.toMatchObject(gone)
    expect(await objects.head(key('aborted'))).toBeNull()
  })

  test.each(['', 'nonsense', Buffer.from('["../../etc/passwd","x",""]').toString('base64url')])(
    'the upload id %j is unknown',
    async (id) => {
      expect(get().objects.uploadSize(id)).rejects.toMatchObject({ kind: 'upload_session_gone' })
    },
  )

  test.each([100, 20 * MIB + 3])('a body that fails after %d bytes keeps them', async (size) => {
    const { objects, key } = get()
    const bytes = makeBytes(size + 1000)
    const failure = new Error('the line broke')
    const upload = await objects.openUpload(key(`broken/${size}`))
    const append = objects.append(upload, failingStream(bytes.subarray(0, size), failure))
    expect(await append.catch((error: unknown) => error)).toBe(failure)
    await sendPieces(objects, upload, bytes, [1000])
    await objects.completeUpload(upload)
    expect(sameBytes(await readAll(objects, key(`broken/${size}`)), bytes)).toBe(true)
  })

  test('an aborted append keeps what came before', async () => {
    const { objects, key } = get()
    const controller = new AbortController()
    const upload = await objects.openUpload(key('hung-up'))
    const endless = new ReadableStream<Uint8Array>(
      {
        start: (stream) => stream.enqueue(makeBytes(1000)),
        pull: () => controller.abort(new Error('the client left')),
      },
      { highWaterMark: 1 },
    )
    await objects.append(upload, makeBytes(500))
    const append = objects.append(upload, endless, { signal: controller.signal })
    expect(await append.catch((error: Error) => error.message)).toBe('the client left')
    expect(await objects.uploadSize(upload)).toBeOneOf([500, 1500])
    await objects.abortUpload(upload)
  })

  test('after SIGKILL in the middle of an append the next process goes on with what is there', async () => {
    const { objects, settings, key } = get()
    const bytes = makeBytes(40 * MIB + 11)
    const upload = await objects.openUpload(key('killed'))
    await sendPieces(objects, upload, bytes, [3 * MIB + 5])

    const given = 30 * MIB
    const task = JSON.stringify({ settings, upload, total: bytes.length, given })
    const child = Bun.spawn([process.execPath, APPENDER, task], { stdout: 'ignore', stderr: 'inherit' })
    while ((await objects.uploadSize(upload)) < 24 * MIB) {
      expect(child.exitCode).toBeNull()
      await Bun.sleep(20)
    }
    child.kill('SIGKILL')
    await child.exited

    const survived = await objects.uploadSize(upload)
    expect(survived).toBeLessThanOrEqual(given)
    await sendPieces(objects, upload, bytes, [1, bytes.length])
    await objects.completeUpload(upload)
    expect(sameBytes(await readAll(objects, key('killed')), bytes)).toBe(true)
  })

  test('sweeping spares uploads that are younger', async () => {
    const { objects, key } = get()
    const upload = await objects.openUpload(key('young'))
    await objects.append(upload, makeBytes(100))
    await objects.sweepUploads(new Date(Date.now() - 3_600_000))
    expect(await objects.uploadSize(upload)).toBe(100)
    await objects.abortUpload(upload)
  })
})
