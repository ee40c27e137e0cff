import { afterAll, beforeAll, describe } from 'bun:test'

import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'

import { s3Settings } from '../../contract/object-store-setup.ts'

export const S3_MISSING = process.env['TEST_S3_URL'] === undefined && process.env['REQUIRE_ENGINES'] !== '1'

/** The settings of a server with its own storage. */
export type StorageEnv = () => Record<string, string>

/** Runs one suite on every kind of storage. Without an S3 server, the S3 half is skipped by name. */
export function describeEachStorage(title: string, suite: (env: StorageEnv) => void): void {
  describe(`${title}: folder`, () => suite(() => ({})))
  if (S3_MISSING) describe.skip(`${title}: s3`, () => suite(() => ({})))
  else describeInBucket(title, suite)
}

/** Runs one suite on S3, or on a folder where there is no S3 server. */
export function describeOnS3(title: string, suite: (env: StorageEnv) => void): void {
  if (S3_MISSING) describe(`${title}: folder`, () => suite(() => ({})))
  else describeInBucket(title, suite)
}

function describeInBucket(title: string, suite: (env: StorageEnv) => void): void {
  describe(`${title}: s3`, () => {
    let bucket: Bucket | null = null
    beforeAll(async () => {
      bucket = await createBucket()
    })
    afterAll(async () => await bucket?.remove())
    suite(() => bucket?.env ?? {})
  })
}

export interface Bucket {
  env: Record<string, string>
  deleteObject(key: string): Promise<void>
  remove(): Promise<void>
}

export async function createBucket(): Promise<Bucket> {
  const { endpoint, region, accessKeyId, secretAccessKey } = s3Settings()
  const client = new S3Client({
    ...(endpoint !== null && { endpoint }),
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  })
  const name = `playshelf-${crypto.randomUUID()}`
  await client.send(new CreateBucketCommand({ Bucket: name }))
  const url = new URL(process.env['TEST_S3_URL'] ?? '')
  url.hostname = name
  return {
    env: { STORAGE_URL: url.href, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    async deleteObject(key) {
      await client.send(new DeleteObjectCommand({ Bucket: name, Key: key }))
    },
    async remove() {
      await empty(client, name)
      await client.send(new DeleteBucketCommand({ Bucket: name }))
      client.destroy()
    },
  }
}

async function empty(client: S3Client, Bucket: string): Promise<void> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  for (const { Key, UploadId } of Uploads) {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket, Key }))
  }
}
