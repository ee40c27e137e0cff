import type { ObjectStoreSettings } from '../../domain/service-settings.ts'
import { createFolderStore } from './folder/folder.ts'
import type { LinkKeys } from './folder/link-signer.ts'
import type { ObjectStore } from './object-store.ts'

interface ObjectStoreOptions {
  /** The base URL of our route that serves links of the folder store. */
  baseUrl: string
  linkKeys: LinkKeys
  /** Bytes of the folder's disk that uploads leave free; none by default. */
  reserve?: number
}

/** Loads the S3 module only if it is configured, because its SDK takes memory and time. */
export async function openObjectStore(
  settings: ObjectStoreSettings,
  options: ObjectStoreOptions,
): Promise<ObjectStore> {
  if (settings.kind === 'folder') return createFolderStore({ path: settings.path, reserve: 0, ...options })
  const { createS3Store } = await import('./s3/s3.ts')
  return createS3Store(settings)
}
