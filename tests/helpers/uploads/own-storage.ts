import { describe } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ObjectStore } from '../../../src/clients/objects/object-store.ts'
import { openObjectStore } from '../../../src/clients/objects/open-object-store.ts'
import { OWNER_NAME } from '../../../src/clients/objects/storage-owner.ts'
import { parseConfig } from '../../../src/config/config.ts'
import { createBucket, S3_MISSING } from './uploads.ts'

/** An empty storage that outlives the servers of a test. */
export interface OwnStorage extends AsyncDisposable {
  env: Record<string, string>
  objects: ObjectStore
  keys(): Promise<string[]>
  /** Removes the installation id, as if no installation had ever used it. */
  forgetOwner(): Promise<void>
}

/** Runs one suite on a folder and on S3, with a new storage for each test that needs one. */
export function describeWithStorage(
  title: string,
  suite: (createStorage: () => Promise<OwnStorage>) => void,
): void {
  describe(`${title}: folder`, () => suite(createFolderStorage))
  describe.skipIf(S3_MISSING)(`${title}: s3`, () => suite(createS3Storage))
}

export async function createFolderStorage(): Promise<OwnStorage> {
  const path = await mkdtemp(join(tmpdir(), 'playshelf-objects-'))
  return await open(
    { STORAGE_URL: `file:${path}` },
    {
      forgetOwner: () => rm(join(path, OWNER_NAME), { force: true }),
      remove: () => rm(path, { recursive: true, force: true }),
    },
  )
}

async function createS3Storage(): Promise<OwnStorage> {
  const bucket = await createBucket()
  return await open(bucket.env, {
    forgetOwner: () => bucket.deleteObject(OWNER_NAME),
    remove: () => bucket.remove(),
  })
}

async function open(
  env: Record<string, string>,
  { forgetOwner, remove }: Record<'forgetOwner' | 'remove', () => Promise<void>>,
): Promise<OwnStorage> {
  const links = { baseUrl: 'http://localhost', linkKeys: { signing: 'secret' } }
  const objects = await openObjectStore(parseConfig(env).storage, links)
  return {
    env,
    objects,
    forgetOwner,
    keys: async () => (await Array.fromAsync(objects.list(''))).map(({ key }) => key),
    async [Symbol.asyncDispose]() {
      await objects.dispose()
      await remove()
    },
  }
}
