import { expect, spyOn, test } from 'bun:test'

import { S3Client, UploadPartCopyCommand } from '@aws-sdk/client-s3'

import { makeBytes, MIB, readAll, sameBytes } from './object-store-bytes.ts'
import { describeEachStore } from './object-store-setup.ts'

const BASE = makeBytes(45 * MIB + 17)

describeEachStore('ranges of another object', (kind, get) => {
  /** `copies`: how many parts the store copies by itself, where it has parts. */
  test.each([
    ['one byte', [[0, 1]], 0],
    ['the whole object', [[0, BASE.length]], 5],
    ['exactly one part', [[3, 8 * MIB]], 1],
    ['a part and a byte', [[5, 8 * MIB + 1]], 1],
    [
      'small ones, then a long one from an odd place',
      [
        [7, 100],
        [40 * MIB, 5 * MIB],
        [1, 30 * MIB],
      ],
      3,
    ],
    [
      'long ones in reverse order',
      [
        [20 * MIB + 1, 20 * MIB],
        [0, 20 * MIB],
      ],
      4,
    ],
  ] as const)('%s', async (name, pairs, copies) => {
    const { objects, key } = get()
    const ranges = pairs.map(([from, length]) => ({ from, length }))
    const wanted = Buffer.concat(ranges.map(({ from, length }) => BASE.subarray(from, from + length)))
    const source = { key: key('base'), size: BASE.length, ranges }
    if (!(await objects.head(source.key))) await objects.put(source.key, BASE)
    const upload = await objects.openUpload(key(name.replaceAll(/[ ,]+/g, '-')))
    const hasher = new Bun.CryptoHasher('sha256')
    using send = spyOn(S3Client.prototype, 'send')
    const size = await objects.appendRanges(upload, source, {
      onBytes: async (bytes) => void hasher.update(bytes),
    })
    expect(size).toBe(wanted.length)
    const copied = send.mock.calls.filter(
      ([command]) => (command as unknown) instanceof UploadPartCopyCommand,
    )
    expect(copied).toHaveLength(kind === 's3' ? copies : 0)
    expect(hasher.digest('hex')).toBe(new Bun.CryptoHasher('sha256').update(wanted).digest('hex'))
    expect(await objects.uploadSize(upload)).toBe(wanted.length)
    const { key: made } = await objects.completeUpload(upload)
    expect(sameBytes(await readAll(objects, made), wanted)).toBe(true)
  })

  test('follow what was sent before, and are followed by what is sent after', async () => {
    const { objects, key } = get()
    const source = { key: key('base'), size: BASE.length, ranges: [{ from: 0, length: 20 * MIB }] }
    const upload = await objects.openUpload(key('mixed'))
    await objects.append(upload, makeBytes(9 * MIB))
    expect(await objects.appendRanges(upload, source)).toBe(29 * MIB)
    expect(await objects.append(upload, makeBytes(3))).toBe(29 * MIB + 3)
    await objects.completeUpload(upload)
    const wanted = Buffer.concat([makeBytes(9 * MIB), BASE.subarray(0, 20 * MIB), makeBytes(3)])
    expect(sameBytes(await readAll(objects, key('mixed')), wanted)).toBe(true)
  })

  test('of an object that is gone are refused, and what was there stays', async () => {
    const { objects, key } = get()
    const upload = await objects.openUpload(key('orphan'))
    await objects.append(upload, makeBytes(100))
    const source = { key: key('gone'), size: 20 * MIB, ranges: [{ from: 0, length: 20 * MIB }] }
    expect(await objects.appendRanges(upload, source).catch((error: unknown) => error)).toMatchObject({
      kind: 'not_found',
    })
    expect(await objects.uploadSize(upload)).toBe(100)
    await objects.abortUpload(upload)
  })

  test('end where they are aborted', async () => {
    const { objects, key } = get()
    const upload = await objects.openUpload(key('aborted-ranges'))
    const stop = new AbortController()
    const source = { key: key('base'), size: BASE.length, ranges: [{ from: 1, length: 44 * MIB }] }
    const onBytes = async () => stop.abort(new Error('enough'))
    const copying = objects.appendRanges(upload, source, { signal: stop.signal, onBytes })
    expect(await copying.catch((error: Error) => error.message)).toBe('enough')
    await objects.abortUpload(upload)
  })
})
