import { afterAll, beforeAll, describe } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ObjectStore } from '../../src/clients/objects/object-store.ts'
import { openObjectStore } from '../../src/clients/objects/open-object-store.ts'
import { parseConfig } from '../../src/config/config.ts'
import type { ObjectStoreSettings } from '../../src/domain/service-settings.ts'

const S3_MISSING = process.env['TEST_S3_URL'] === undefined && process.env['REQUIRE_ENGINES'] !== '1'

export interface StoreUnderTest {
  objects: ObjectStore
  settings: ObjectStoreSettings
  /** A key nobody else uses. */
  key(name: string): string
}

/** Runs one suite on every store. Where no S3 server was given, its half is skipped by name. */
export function describeEachStore(
  title: string,
  suite: (kind: 'folder' | 's3', get: () => StoreUnderTest) => void,
): void {
  for (const kind of ['folder', 's3'] as const) {
    describe.skipIf(kind === 's3' && S3_MISSING)(`${title}: ${kind}`, () => {
      suite(kind, useStore(kind))
    })
  }
}

export function describeS3(title: string, suite: (get: () => StoreUnderTest) => void): void {
  describe.skipIf(S3_MISSING)(`${title}: s3`, () => suite(useStore('s3')))
}

function useStore(kind: 'folder' | 's3'): () => StoreUnderTest {
  const prefix = `test-${crypto.randomUUID()}`
  let folder = ''
  let current: StoreUnderTest | null = null

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'object-store-test-'))
    const settings = kind === 'folder' ? { kind, path: join(folder, 'objects') } : s3Settings()
    const objects = await openObjectStore(settings, {
      baseUrl: 'http://localhost',
      linkKeys: { signing: 'secret' },
    })
    current = { objects, settings, key: (name) => `${prefix}/${name}` }
  })

  afterAll(async () => {
    if (current) {
      for await (const { key } of current.objects.list(`${prefix}/`)) await current.objects.delete(key)
      await current.objects.dispose()
    }
    await rm(folder, { recursive: true, force: true })
  })

  return () => {
    if (!current) throw new Error('The store was not opened')
    return current
  }
}

export function s3Settings() {
  const { storage } = parseConfig({
    STORAGE_URL: process.env['TEST_S3_URL'] ?? 'TEST_S3_URL is not set',
    AWS_ACCESS_KEY_ID: process.env['AWS_ACCESS_KEY_ID'],
    AWS_SECRET_ACCESS_KEY: process.env['AWS_SECRET_ACCESS_KEY'],
  })
  if (storage.kind !== 's3') throw new Error('TEST_S3_URL must name an S3 store')
  return storage
}
