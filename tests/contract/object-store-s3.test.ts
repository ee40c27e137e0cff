import { expect, test } from 'bun:test'

import { CreateBucketCommand, PutObjectCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3'

import { decodeUploadId } from '../../src/clients/objects/keys.ts'
import { openObjectStore } from '../../src/clients/objects/open-object-store.ts'
import { makeBytes, MIB, readAll, sameBytes } from './object-store-bytes.ts'
import { describeS3, s3Settings } from './object-store-setup.ts'

const OPTIONS = { baseUrl: '', linkKeys: { signing: 'unused' } }

function openClient(): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey } = s3Settings()
  const credentials = { accessKeyId, secretAccessKey }
  return new S3Client({ ...(endpoint !== null && { endpoint }), region, credentials, forcePathStyle: true })
}

/** A body that gives its first bytes at once and the last ones when it is told. */
function openBody(first: Uint8Array) {
  const rest = Promise.withResolvers<Uint8Array>()
  const pieces = [first, rest.promise]
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await pieces.shift()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
  })
  return { stream, end: rest.resolve }
}

describeS3('only on S3', (get) => {
  test('a part that a dead process left behind a gap is never counted', async () => {
    const { objects, key } = get()
    const bytes = makeBytes(25 * MIB)
    const upload = await objects.openUpload(key('gap'))
    const client = openClient()
    const part = { Bucket: s3Settings().bucket, Key: key('gap'), UploadId: decodeUploadId(upload).remote }
    await client.send(new UploadPartCommand({ ...part, PartNumber: 2, Body: new Uint8Array(8 * MIB) }))
    client.destroy()

    expect(await objects.uploadSize(upload)).toBe(0)
    expect(await objects.append(upload, bytes.subarray(0, 8 * MIB))).toBe(8 * MIB)
    expect(await objects.uploadSize(upload)).toBe(8 * MIB)
    expect(await objects.append(upload, bytes.subarray(8 * MIB))).toBe(25 * MIB)
    await objects.completeUpload(upload)
    expect(sameBytes(await readAll(objects, key('gap')), bytes)).toBe(true)
  })

  test('a completion that stopped before its end can still grow', async () => {
    const { objects, key } = get()
    const bytes = makeBytes(20 * MIB)
    const upload = await objects.openUpload(key('half-complete'))
    await objects.append(upload, bytes.subarray(0, 9 * MIB))
    const client = openClient()
    const part = {
      Bucket: s3Settings().bucket,
      Key: key('half-complete'),
      UploadId: decodeUploadId(upload).remote,
    }
    await client.send(
      new UploadPartCommand({ ...part, PartNumber: 2, Body: bytes.subarray(8 * MIB, 9 * MIB) }),
    )
    client.destroy()

    expect(await objects.uploadSize(upload)).toBe(9 * MIB)
    await objects.append(upload, bytes.subarray(9 * MIB))
    await objects.completeUpload(upload)
    expect(sameBytes(await readAll(objects, key('half-complete')), bytes)).toBe(true)
  })

  test('senders that pause keep nobody waiting and lose nothing', async () => {
    const { objects, key } = get()
    const bytes = makeBytes(9 * MIB)
    const pausing = Array.from({ length: 6 }, (_, index) => {
      const body = openBody(bytes.subarray(0, 5 * MIB))
      const name = key(`pausing-${index}`)
      return {
        name,
        body,
        done: index % 2 === 0 ? objects.put(name, body.stream) : appendWhole(name, body.stream),
      }
    })
    async function appendWhole(name: string, stream: ReadableStream<Uint8Array>): Promise<unknown> {
      const upload = await objects.openUpload(name)
      expect(await objects.append(upload, stream)).toBe(bytes.length)
      return await objects.completeUpload(upload)
    }
    for (const name of ['one', 'two', 'three']) await objects.put(key(name), bytes)
    for (const { body } of pausing) body.end(bytes.subarray(5 * MIB))
    await Promise.all(pausing.map(({ done }) => done))
    for (const { name } of pausing) expect(sameBytes(await readAll(objects, name), bytes)).toBe(true)
  })

  test('sweeping ends every forgotten upload with its tail and leaves objects alone', async () => {
    const settings = { ...s3Settings(), bucket: `sweep-${crypto.randomUUID()}` }
    const client = openClient()
    await client.send(new CreateBucketCommand({ Bucket: settings.bucket }))
    const objects = await openObjectStore(settings, OPTIONS)
    const upload = await objects.openUpload('forgotten')
    await objects.append(upload, makeBytes(100))
    await objects.put('kept', makeBytes(1))
    expect(await objects.sweepUploads(new Date(Date.now() + 60_000))).toBe(1)
    expect(objects.uploadSize(upload)).rejects.toMatchObject({ kind: 'upload_session_gone' })
    expect((await Array.fromAsync(objects.list(''))).map(({ key }) => key)).toEqual(['kept'])
    await objects.dispose()
    client.destroy()
  })

  test("the store's own objects are not listed", async () => {
    const { objects, key } = get()
    const client = openClient()
    const own = `.uploads/${crypto.randomUUID()}/0`
    await client.send(new PutObjectCommand({ Bucket: s3Settings().bucket, Key: own, Body: 'x' }))
    client.destroy()
    await objects.put(key('seen'), makeBytes(1))
    const keys = (await Array.fromAsync(objects.list(''))).map((info) => info.key)
    expect(keys).toContain(key('seen'))
    expect(keys.filter((listed) => listed.startsWith('.'))).toEqual([])
  })

  test.each([
    ['a missing bucket', { bucket: 'no-such-bucket' }, /bucket "no-such-bucket" does not exist .* create it/],
    ['an unknown access key', { accessKeyId: 'NOBODY' }, /refuses the credentials; check AWS_ACCESS_KEY_ID/],
    ['a wrong secret', { secretAccessKey: 'wrong' }, /refuses the credentials; check AWS_ACCESS_KEY_ID/],
    [
      'nobody listening',
      { endpoint: 'http://127.0.0.1:1' },
      /127\.0\.0\.1:1 cannot be reached .* STORAGE_URL/,
    ],
  ])('the check says what to do about %s', async (_name, change, sentence) => {
    const objects = await openObjectStore({ ...s3Settings(), ...change }, OPTIONS)
    const error = await objects.check().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'service_down', message: expect.stringMatching(sentence) })
    expect(objects.get('any')).rejects.toMatchObject({ kind: 'service_down' })
    expect(objects.put('any', makeBytes(1))).rejects.toMatchObject({ kind: 'service_down' })
    await objects.dispose()
  })

  test('links lead to the public endpoint, and everything else to the other', async () => {
    const settings = s3Settings()
    const endpoint = new URL(settings.endpoint ?? '')
    const publicEndpoint = `http://localhost:${endpoint.port}`
    const objects = await openObjectStore({ ...settings, publicEndpoint }, OPTIONS)
    const { key } = get()
    await objects.put(key('linked'), new Blob(['bytes']).stream())
    const { url } = await objects.signedLink(key('linked'), { filename: 'a.txt' })
    expect(url).toStartWith(`${publicEndpoint}/`)
    expect(await (await fetch(url)).text()).toBe('bytes')
    await objects.dispose()
  })
})
