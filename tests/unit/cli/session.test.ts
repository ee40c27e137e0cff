import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

import { ApiClient } from '../../../src/cli/api/client.ts'
import { Retry } from '../../../src/cli/api/retry.ts'
import { FileChecksum } from '../../../src/cli/push/file-checksum.ts'
import type { PreparedZip } from '../../../src/cli/push/prepare.ts'
import { sendAll } from '../../../src/cli/push/segments.ts'
import { sendInSession } from '../../../src/cli/push/session.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createTempDir } from '../../helpers/processes/child.ts'

const MIB = 1024 ** 2
const BYTES = crypto.getRandomValues(new Uint8Array(65_536)).toBase64().repeat(30)
const SIZE = BYTES.length
const CHECKSUM = sha256Hex(BYTES)
const SESSION = '01980000-0000-7000-8000-000000000000'
const { signal } = new AbortController()

let dir: Awaited<ReturnType<typeof createTempDir>>
let handle: FileHandle
beforeAll(async () => {
  dir = await createTempDir('session')
  await Bun.write(join(dir.path, 'game.zip'), BYTES)
  handle = await open(join(dir.path, 'game.zip'))
})
afterAll(async () => {
  await handle.close()
  await dir.remove()
})

describe('the checksum of a file', () => {
  const bytes = Buffer.from(BYTES)

  test('skips what was hashed before', () => {
    const checksum = new FileChecksum()
    checksum.add(bytes.subarray(0, 1000), 0)
    checksum.add(bytes.subarray(500, 900), 500)
    checksum.add(bytes.subarray(500, 2000), 500)
    expect(() => checksum.add(bytes.subarray(3000), 3000)).toThrow()
    checksum.add(bytes.subarray(2000), 2000)
    expect([checksum.digest(), checksum.digest()]).toEqual([CHECKSUM, CHECKSUM])
  })

  test('reads what an earlier run sent', async () => {
    const checksum = new FileChecksum()
    await checksum.readTo(MIB + 7, handle, { signal })
    await checksum.readTo(7, handle, { signal })
    checksum.add(bytes.subarray(MIB), MIB)
    expect(checksum.digest()).toBe(CHECKSUM)
  })
})

describe('a file of which the checksum is not known', () => {
  let store: FakeStore | null = null
  afterEach(() => store?.stop())

  test('is hashed while it is sent', async () => {
    store = startStore()
    const { file, reads } = await send(store)
    expect(file).toMatchObject({ checksum: CHECKSUM })
    expect(reads).toBe(0)
    expect(store.opened).toMatchObject([{ checksum_in_last_chunk: 'true' }])
    expect(store.opened[0]).not.toHaveProperty('checksum')
    expect(store.received()).toBe(CHECKSUM)
    expect(store.checksums).toEqual([null, null, CHECKSUM])
  })

  test('is hashed from its start when an earlier run sent a part', async () => {
    store = startStore({ size: MIB })
    await send(store, SESSION)
    expect(store.opened).toEqual([])
    expect(store.checksums.at(-1)).toBe(CHECKSUM)
  })

  test('is read first for a server that needs the checksum', async () => {
    store = startStore({ isOld: true })
    const { reads } = await send(store)
    expect(reads).toBe(1)
    expect(store.opened.at(-1)).toMatchObject({ checksum: CHECKSUM })
    expect(store.received()).toBe(CHECKSUM)
  })
})

async function send({ url }: FakeStore, sessionId: string | null = null) {
  let reads = 0
  const state = { version: 2 as const, fingerprint: '', size: SIZE, checksum: null as string | null }
  const zip: PreparedZip = {
    handle,
    state: { ...state, entries: [], session: null },
    isPacked: true,
    staleSession: null,
    async readChecksum() {
      reads += 1
      return CHECKSUM
    },
    readEntries: async () => [],
    requireUnchanged: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  }
  const file = await sendInSession({
    api: new ApiClient(url, new Retry({ giveUpAfterMs: 30_000, signal }), signal, null),
    uploadUrl: url,
    chunkSize: MIB,
    zip,
    filename: 'game.zip',
    form: {},
    baseUid: null,
    sessionId,
    segments: sendAll(SIZE),
    onSession: async () => undefined,
    onPosition: () => undefined,
    onBytes: () => undefined,
  })
  return { file, reads }
}

type FakeStore = ReturnType<typeof startStore>

/** Stores what it is sent; an old one refuses a session without a checksum. */
function startStore({ size = 0, isOld = false } = {}) {
  const bytes = Buffer.from(BYTES.slice(0, size))
  const parts: Uint8Array[] = size > 0 ? [bytes] : []
  const opened: Record<string, string>[] = []
  const checksums: (string | null)[] = []
  const ok = (data: object) => Response.json({ success: true, data })
  const stored = () => Buffer.concat(parts)
  const session = () => ({ session_id: SESSION, current_size: stored().length, base_file_uid: null })
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (request.method === 'GET') return ok(session())
      if (pathname.endsWith('/sessions')) {
        const fields = Object.fromEntries(new URLSearchParams(await request.text()))
        opened.push(fields)
        if (!isOld || fields['checksum'] !== undefined) return ok(session())
        return Response.json({ success: false, error: { code: 4041, message: 'No.' } }, { status: 400 })
      }
      const form = await request.formData()
      parts.push(await (form.get('file') as Blob).bytes())
      checksums.push(form.get('checksum') as string | null)
      return stored().length < SIZE ? ok(session()) : ok({ filename: 'game.zip', checksum: checksums.at(-1) })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return { url, opened, checksums, received: () => sha256Hex(stored()), stop: () => server.stop(true) }
}
