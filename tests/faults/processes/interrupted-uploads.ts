import { expect } from 'bun:test'

import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { insertBuild, issueDeployKey } from '../../helpers/builds.ts'
import { makeZip } from '../../helpers/files/zips.ts'
import { readData } from '../../helpers/json.ts'
import { insertGame } from '../../helpers/listings.ts'
import { findFile } from '../../helpers/scans.ts'
import { resume } from '../../helpers/uploads/upload-outages.ts'
import {
  makeBytes,
  openSession,
  type Pipeline,
  startChunk,
  type UploadedFile,
  waitForWriter,
} from '../../helpers/uploads/uploads.ts'
import { waitFor } from '../../helpers/wait.ts'
import type { World } from './changes.ts'

const SIZE = 3 * 1024 * 1024

/** One file on its way through the balancer: half of it is announced, a quarter of it sent. */
export interface Sending {
  pipeline: Pipeline
  bytes: Uint8Array
  sessionId: string
  /** Sends the rest of the first half; resolves with the status, or null for a broken connection. */
  finish(): Promise<number | null>
}

export async function beginUpload({ fleet: { server, front }, owner }: World): Promise<Sending> {
  const game = await insertGame(server, owner)
  const build = await insertBuild(server, game.uid)
  const pipeline = { owner, game, build, key: await issueDeployKey(server, game.uid) }
  const bytes = makeZip([{ name: 'game.bin', data: makeBytes(SIZE), method: 0 }])
  const { session_id: sessionId } = await openSession(front, pipeline, bytes)
  const [quarter, half] = [bytes.length >> 2, bytes.length >> 1]
  const chunk = startChunk(front, pipeline.key, sessionId, [0, half, bytes.length])
  chunk.push(bytes.subarray(0, quarter))
  await waitForWriter(server, sessionId)
  return {
    pipeline,
    bytes,
    sessionId,
    async finish() {
      chunk.push(bytes.subarray(quarter, half))
      chunk.close()
      return await chunk.answer.then(
        ({ status }) => status,
        () => null,
      )
    },
  }
}

/** Sends what is missing and expects the whole file in the store. Returns its uid. */
export async function expectToArrive(
  { fleet: { server, front } }: World,
  { pipeline, bytes, sessionId }: Sending,
): Promise<string> {
  const answer = await waitFor('the upload arrives', async () => {
    const sent = await resume(front, pipeline, sessionId, bytes)
    // For a moment the process that was killed may still count as the writer.
    if (sent.status !== 409) expect(sent.status).toBe(201)
    return sent.status === 201 && sent
  })
  const { file_uid } = await readData<UploadedFile>(answer)
  const file = await findFile(server, file_uid)
  expect(file).toMatchObject({ size: bytes.length, checksum: sha256Hex(bytes) })
  const { stream } = await server.deps.objects.get(file?.objectKey ?? '')
  expect(sha256Hex(await Bun.readableStreamToBytes(stream))).toBe(sha256Hex(bytes))
  return file_uid
}
