import { expect } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../src/db/schema/builds.ts'
import { reclaim } from '../../../src/features/storage/reclaim.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { readFailure } from '../json.ts'
import { behind, startTcpProxy, type TcpProxy } from '../processes/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { createBucket, type Pipeline, readCurrentSize, sendChunk } from './uploads.ts'

const DAY_MS = 25 * 60 * 60 * 1000

/** A server whose object store can be cut off. */
export interface CutStore extends AsyncDisposable {
  server: TestServer
  proxy: TcpProxy
  [Symbol.asyncDispose](): Promise<void>
}

export async function startCutStore(): Promise<CutStore> {
  const bucket = await createBucket()
  const storage = new URL(bucket.env['STORAGE_URL'] ?? '')
  const endpoint = new URL(storage.searchParams.get('endpoint') ?? '')
  const proxy = await startTcpProxy({ host: endpoint.hostname, port: Number(endpoint.port) })
  storage.searchParams.set('endpoint', new URL(behind(endpoint.href, proxy)).origin)
  const server = await startTestServer({ TRUST_PROXY: '1', ...bucket.env, STORAGE_URL: storage.href })
  return {
    server,
    proxy,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await proxy[Symbol.asyncDispose]()
      await bucket.remove()
    },
  }
}

/** True once so many bytes went by. */
export function after(bytes: number): (piece: Buffer) => boolean {
  let seen = 0
  return (piece) => (seen += piece.length) > bytes
}

/** Resumes like a client that knows only the session: it reads the current size and continues there. */
export async function resume(
  server: Pick<TestServer, 'fetch'>,
  { key }: Pick<Pipeline, 'key'>,
  sessionId: string,
  bytes: Uint8Array,
): Promise<Response> {
  const size = await readCurrentSize(server, key, sessionId)
  const start = Math.min(size, bytes.length - 1)
  return await sendChunk(server, key, sessionId, bytes, [start, bytes.length])
}

/** Expects exactly one complete file, and no leftover objects a day later. */
export async function expectOneFile(server: TestServer, { game }: Pipeline, bytes: Uint8Array) {
  const { db, objects } = server.deps
  const rows = await db.select().from(files).where(eq(files.gameUid, game.uid))
  expect(rows).toMatchObject([{ size: bytes.length, checksum: sha256Hex(bytes), scan: 'scanning' }])
  const key = rows[0]?.objectKey ?? ''
  const stored = await Bun.readableStreamToBytes((await objects.get(key)).stream)
  expect(sha256Hex(stored)).toBe(sha256Hex(bytes))

  await reclaimAll(server)
  const left = await Array.fromAsync(objects.list(`builds/${game.uid}/`))
  expect(left.map((object) => object.key)).toEqual([key])
}

/** Removes what a day later belongs to nothing. */
export async function reclaimAll({ deps }: TestServer): Promise<void> {
  const later = new Date(Date.now() + DAY_MS)
  const { signal } = new AbortController()
  await reclaim(deps, later, signal)
  expect(await reclaim(deps, later, signal)).toEqual({ sessions: 0, uploads: 0, objects: 0 })
}

/** Expects one of the outage errors: one with the offset to resume at, or one that asks for a retry. */
export async function expectOutage(answer: Response): Promise<void> {
  const { status, code, data } = await readFailure<{ current_size?: number }>(answer)
  expect([409, 500, 503]).toContain(status)
  expect(code).toBe(status === 409 ? 4044 : status === 500 ? 4048 : 5031)
  if (status === 409) expect(data.current_size).toBeNumber()
}
