import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import type { DeployPair, FileRow } from '../builds.ts'
import { insertFile } from '../builds.ts'
import type { TestServer } from '../server.ts'
import { type Pipeline, UPLOAD_PATH } from './uploads.ts'

export interface CopyRange {
  at: number
  from: number
  length: number
}

/** A clean file of the pipeline's build, with its bytes in the store. */
export async function storeBase(
  server: TestServer,
  { build }: Pipeline,
  bytes: Uint8Array,
  values: Partial<FileRow> = {},
): Promise<FileRow> {
  const file = await insertFile(server, build, {
    filename: 'base.zip',
    size: bytes.length,
    checksum: sha256Hex(bytes),
    ...values,
  })
  await server.deps.objects.put(file.objectKey, bytes)
  return file
}

export async function postCopy(
  server: Pick<TestServer, 'fetch'>,
  key: DeployPair,
  sessionId: string,
  ranges: readonly CopyRange[],
  checksum?: string,
): Promise<Response> {
  return await server.fetch(`${UPLOAD_PATH}/sessions/${sessionId}/copy`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ ranges, checksum }),
  })
}
