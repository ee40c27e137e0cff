import { constants } from 'node:fs'
import { access, link, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { AppError } from '../../../errors.ts'
import { requireKey, requirePrefix } from '../keys.ts'
import { rangeOutside, resolveRange, streamRanges } from '../object-ranges.ts'
import type { ByteRange, ObjectInfo, ObjectRead, ObjectStore } from '../object-store.ts'
import { OWNER_NAME, parseOwnerNote, writeOwnerNote } from '../storage-owner.ts'
import {
  closeFolder,
  createDiskRoom,
  duplicate,
  hasCode,
  makeFolder,
  moveDurably,
  orNull,
  syncFolder,
  writeDurably,
} from './folder-disk.ts'
import { createFolderFiles, type FolderFiles } from './folder-files.ts'
import { createFolderUploads } from './folder-uploads.ts'
import { createLinkSigner, type LinkKeys } from './link-signer.ts'

interface FolderOptions {
  path: string
  baseUrl: string
  linkKeys: LinkKeys
  /** Bytes of the disk that uploads leave free. */
  reserve: number
}

/** Stores objects in a folder. Unlike in S3, a key cannot also be the folder of other keys. */
export function createFolderStore({ path: root, baseUrl, linkKeys, reserve }: FolderOptions): ObjectStore {
  const files = createFolderFiles(root)
  const signer = createLinkSigner(baseUrl, linkKeys)

  const room = createDiskRoom(root, reserve)
  const uploads = createFolderUploads(files, room)

  async function get(key: string, range?: ByteRange): Promise<ObjectRead> {
    const info = await requireObject(files, key)
    const bytes = range ? resolveRange(range, info.size) : { start: 0, end: info.size - 1 }
    if (!bytes) throw rangeOutside()
    const size = bytes.end + 1 - bytes.start
    const file = Bun.file(files.objectPath(key))
    return { stream: file.slice(bytes.start, bytes.end + 1).stream(), size, info }
  }

  return {
    ...uploads,
    ...createFolderOwner(root, files),
    get,
    head: files.head,
    delete: (key) => files.remove(key),
    list: (prefix) => listObjects(root, files, requirePrefix(prefix)),

    requireRoom: (bytes) => room.require(bytes),

    /** Bytes go to the disk as they arrive, so any number of bodies is fine. */
    acquireSlot: async () => new DisposableStack(),

    async put(key, body, { contentType, ...options } = {}) {
      requireKey(key)
      const temporary = files.uploadPath(crypto.randomUUID())
      return publishOrRemove(temporary, async () => {
        await writeDurably(temporary, body, { ...options, room })
        return files.publish(temporary, key, contentType === undefined ? {} : { contentType })
      })
    },

    async appendRanges(upload, source, options) {
      return await uploads.append(upload, streamRanges({ get }, source, options))
    },

    async copy(from, to) {
      requireKey(to)
      await requireObject(files, from)
      const { contentType } = await files.readNote(from)
      const temporary = files.uploadPath(crypto.randomUUID())
      return publishOrRemove(temporary, async () => {
        await makeFolder(files.uploads)
        await duplicate(files.objectPath(from), temporary)
        return files.publish(temporary, to, contentType === undefined ? {} : { contentType })
      })
    },

    async signedLink(key, options) {
      return signer.sign(requireKey(key), options)
    },

    localPath: (key) => files.objectPath(requireKey(key)),

    localLinks: {
      async open(key, query) {
        const claims = signer.verify(key, query)
        const info = await requireObject(files, key)
        return { ...claims, info, file: Bun.file(files.objectPath(key)) }
      },
    },

    async check() {
      try {
        await makeFolder(files.uploads)
        await closeFolder(root)
        await access(files.uploads, constants.R_OK | constants.W_OK | constants.X_OK)
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause)
        const message = `The object folder ${root} cannot be written (${reason}); make it a folder this user may write.`
        throw new AppError('service_down', { message, cause })
      }
    },

    async dispose() {},
  }
}

async function requireObject(files: FolderFiles, key: string): Promise<ObjectInfo> {
  const info = await files.head(key)
  if (!info) throw new AppError('not_found')
  return info
}

async function publishOrRemove<T>(temporary: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // The first error is more useful than one from the cleanup; leftovers are swept later.
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}

/** In the same order as S3: sorted by the whole key, so a folder sorts by its name including the slash. */
async function* listObjects(root: string, files: FolderFiles, prefix: string): AsyncGenerator<ObjectInfo> {
  async function* walk(folder: string): AsyncGenerator<ObjectInfo> {
    const entries = (await orNull(readdir(join(root, folder), { withFileTypes: true }))) ?? []
    const keys = entries.map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`).sort()
    for (const key of keys) {
      if (key.startsWith('.') || !(key.startsWith(prefix) || prefix.startsWith(key))) continue
      if (key.endsWith('/')) yield* walk(key)
      else if (key.startsWith(prefix)) {
        const info = await files.head(key)
        if (info) yield info
      }
    }
  }
  yield* walk(prefix.slice(0, prefix.lastIndexOf('/') + 1))
}

function createFolderOwner(root: string, files: FolderFiles): Pick<ObjectStore, 'readOwner' | 'writeOwner'> {
  const path = join(root, OWNER_NAME)
  return {
    async readOwner() {
      const text = await orNull(readFile(path, 'utf8'))
      return text === null ? null : parseOwnerNote(text)
    },

    async writeOwner(id, { replace = false } = {}) {
      const temporary = files.uploadPath(crypto.randomUUID())
      await writeDurably(temporary, writeOwnerNote(id))
      if (replace) return await moveDurably(temporary, path)
      try {
        // Unlike a rename, a link never replaces an existing file.
        await link(temporary, path)
        await syncFolder(root)
      } catch (error) {
        if (hasCode(error, 'EEXIST')) return
        throw error
      } finally {
        await rm(temporary, { force: true })
      }
    },
  }
}
