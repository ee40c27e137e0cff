import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

import { createFormBody } from '../../../src/cli/api/form-body.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createTempDir } from '../../helpers/processes/child.ts'

const MIB = 1024 ** 2
const FILE = Buffer.concat(Array.from({ length: 140 }, () => crypto.getRandomValues(new Uint8Array(65_001))))

let dir: Awaited<ReturnType<typeof createTempDir>>
let handle: FileHandle
beforeAll(async () => {
  dir = await createTempDir('form-body')
  await Bun.write(join(dir.path, 'game.zip'), FILE)
  handle = await open(join(dir.path, 'game.zip'))
})
afterAll(async () => {
  await handle.close()
  await dir.remove()
})

/** Receives a form, with pauses in which the sender has to wait. */
function startSlowServer(pauseMs: number) {
  return Bun.serve({
    port: 0,
    maxRequestBodySize: 64 * MIB,
    async fetch(request) {
      const parts: Uint8Array[] = []
      let pending = 0
      await Bun.sleep(pauseMs)
      for await (const part of request.body ?? []) {
        parts.push(part.slice())
        pending += part.length
        if (pending > MIB) {
          pending = 0
          await Bun.sleep(pauseMs)
        }
      }
      const { headers } = request
      const form = await new Response(Buffer.concat(parts), { headers }).formData()
      const file = await (form.get('file') as Blob).bytes()
      return Response.json({ file: sha256Hex(file), checksum: form.get('checksum') })
    },
  })
}

const describe = (error: unknown) => String(error)

test('buffers are used again without changing bytes that a slow server has not taken yet', async () => {
  using server = startSlowServer(10)
  const send = async (start: number) => {
    const length = FILE.length - start
    const checksum = async () => 'a'.repeat(64)
    using form = createFormBody({ handle, start, length, filename: 'x', checksum }, { onBytes() {} })
    const response = await fetch(server.url, { method: 'POST', ...form })
    return await response.json()
  }
  const starts = [0, 1, 4097]
  const expected = starts.map((start) => ({
    file: sha256Hex(FILE.subarray(start)),
    checksum: 'a'.repeat(64),
  }))
  // One after the other, then at the same time.
  for (const [index, start] of starts.entries()) expect(await send(start)).toEqual(expected[index])
  expect(await Promise.all(starts.map(send))).toEqual(expected)
})

test('a request that was cancelled leaves its buffers to the next one', async () => {
  using server = startSlowServer(10)
  const file = { handle, start: 0, length: FILE.length, filename: 'x' }
  for (let round = 0; round < 3; round += 1) {
    using form = createFormBody(file, { onBytes() {} })
    const signal = AbortSignal.timeout(30)
    const cancelled = await fetch(server.url, { method: 'POST', ...form, signal }).catch(describe)
    expect(cancelled).toContain('TimeoutError')
    using next = createFormBody(file, { onBytes() {} })
    const response = await fetch(server.url, { method: 'POST', ...next })
    expect(await response.json()).toMatchObject({ file: sha256Hex(FILE) })
  }
})

test('the bytes are passed on in order, and a file that became shorter fails', async () => {
  using server = startSlowServer(0)
  const hasher = new Bun.CryptoHasher('sha256')
  let size = 0
  const onRead = (bytes: Uint8Array, at: number) => {
    expect(at).toBe(size)
    size += bytes.length
    hasher.update(bytes)
  }
  using form = createFormBody(
    { handle, start: 0, length: FILE.length, filename: 'game.zip', onRead },
    { onBytes() {} },
  )
  await fetch(server.url, { method: 'POST', ...form })
  expect(hasher.digest('hex')).toBe(sha256Hex(FILE))
  using short = createFormBody(
    { handle, start: 0, length: FILE.length + 1, filename: 'game.zip' },
    { onBytes() {} },
  )
  const failed = await fetch(server.url, { method: 'POST', ...short }).catch(describe)
  expect(failed).toContain('became shorter')
})
