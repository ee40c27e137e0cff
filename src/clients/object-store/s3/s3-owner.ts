import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'

import type { ObjectStore } from '../object-store.ts'
import { OWNER_NAME, readOwnerNote, writeOwnerNote } from '../owner-note.ts'
import type { Bucket } from './s3-parts.ts'
import { isMissing, isNotImplemented, isTaken } from './s3-responses.ts'

const TIMEOUT_MS = 5000

export function createS3Owner({ client, Bucket }: Bucket): Pick<ObjectStore, 'readOwner' | 'writeOwner'> {
  const put = (id: string, condition: { IfNoneMatch?: string }) =>
    client.send(
      new PutObjectCommand({
        Bucket,
        Key: OWNER_NAME,
        Body: writeOwnerNote(id),
        ContentType: 'application/json',
        ...condition,
      }),
    )
  return {
    async readOwner() {
      try {
        const abortSignal = AbortSignal.timeout(TIMEOUT_MS)
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: OWNER_NAME }), { abortSignal })
        return readOwnerNote((await Body?.transformToString()) ?? '')
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },

    async writeOwner(id, { replace = false } = {}) {
      try {
        await put(id, replace ? {} : { IfNoneMatch: '*' })
      } catch (error) {
        if (isTaken(error)) return
        // Some servers do not support conditional writes; the caller reads the id back in any case.
        if (!isNotImplemented(error)) throw error
        await put(id, {})
      }
    },
  }
}
