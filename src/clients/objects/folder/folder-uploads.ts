import { readdir, rm, stat, truncate } from 'node:fs/promises'

import { throwFailure } from '../body/body-blocks.ts'
import { decodeUploadId, encodeUploadId, requireKey, uploadGone } from '../keys.ts'
import type { ObjectStore } from '../object-store.ts'
import {
  appendTo,
  type DiskRoom,
  isMissing,
  orNull,
  syncEarly,
  syncFile,
  writeDurably,
} from './folder-disk.ts'
import { type FolderFiles, sweepRetained } from './folder-files.ts'

type Uploads = Pick<
  ObjectStore,
  | 'openUpload'
  | 'append'
  | 'truncateUpload'
  | 'uploadSize'
  | 'completeUpload'
  | 'abortUpload'
  | 'sweepUploads'
>

/** An upload is one growing file, so its length is correct even after a crash. */
export function createFolderUploads(files: FolderFiles, room: DiskRoom): Uploads {
  const pathOf = (upload: string) => files.uploadPath(decodeUploadId(upload).token)
  /** By path. A failed one stays, because later ones would not report what was lost. */
  const syncs = new Map<string, Promise<void>>()

  /** Beside the next chunk, so that the sync at the end is short. */
  function syncLater(path: string): void {
    if (syncs.has(path)) return
    const sync = syncEarly(path)
    syncs.set(path, sync)
    sync.then(
      () => syncs.delete(path),
      () => undefined,
    )
  }

  return {
    async openUpload(key) {
      const token = crypto.randomUUID()
      const upload = encodeUploadId({ key: requireKey(key), token, remote: '' })
      await writeDurably(files.uploadPath(token), new Uint8Array())
      return upload
    },

    async append(upload, body, options) {
      const path = pathOf(upload)
      const { size, bodyFailure } = await orGone(appendTo(path, body, { ...options, room }))
      syncLater(path)
      throwFailure(bodyFailure)
      return size
    },

    truncateUpload: (upload, size) => orGone(truncate(pathOf(upload), size)),

    async uploadSize(upload) {
      return (await orGone(stat(pathOf(upload)))).size
    },

    async completeUpload(upload) {
      const { key, token } = decodeUploadId(upload)
      const path = files.uploadPath(token)
      if (await orNull(stat(path))) {
        await orGone(syncs.get(path) ?? Promise.resolve())
        await orGone(syncFile(path))
        return await orGone(files.publish(path, key, { upload: token }))
      }
      const [note, info] = await Promise.all([files.readNote(key), files.head(key)])
      if (note.upload !== token || !info) throw uploadGone()
      return info
    },

    async abortUpload(upload) {
      const path = pathOf(upload)
      await rm(path, { force: true })
      syncs.delete(path)
    },

    async sweepUploads(openedBefore) {
      await sweepRetained(files.root, openedBefore)
      let swept = 0
      for (const name of (await orNull(readdir(files.uploads))) ?? []) {
        const path = files.uploadPath(name)
        const found = await orNull(stat(path))
        if (!found || found.mtime >= openedBefore) continue
        await rm(path, { force: true })
        swept++
      }
      return swept
    },
  }
}

async function orGone<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw isMissing(error) ? uploadGone() : error
  }
}
