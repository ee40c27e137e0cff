import { readdir, rm, stat } from 'node:fs/promises'

import { throwFailure } from './body-blocks.ts'
import { appendTo, isMissing, orNull, syncFile, writeDurably } from './folder-disk.ts'
import type { FolderFiles } from './folder-files.ts'
import { requireKey } from './keys.ts'
import type { ObjectStore } from './object-store.ts'
import { decodeUploadId, encodeUploadId, uploadGone } from './upload-id.ts'

type Uploads = Pick<
  ObjectStore,
  'openUpload' | 'append' | 'uploadSize' | 'completeUpload' | 'abortUpload' | 'sweepUploads'
>

/** An upload is one growing file, so its length is correct even after a crash. */
export function createFolderUploads(files: FolderFiles): Uploads {
  const pathOf = (upload: string) => files.uploadPath(decodeUploadId(upload).token)

  return {
    async openUpload(key) {
      const token = crypto.randomUUID()
      const upload = encodeUploadId({ key: requireKey(key), token, remote: '' })
      await writeDurably(files.uploadPath(token), new Uint8Array())
      return upload
    },

    async append(upload, body, options) {
      const { size, bodyFailure } = await orGone(appendTo(pathOf(upload), body, options))
      throwFailure(bodyFailure)
      return size
    },

    async uploadSize(upload) {
      return (await orGone(stat(pathOf(upload)))).size
    },

    async completeUpload(upload) {
      const { key, token } = decodeUploadId(upload)
      const path = files.uploadPath(token)
      if (await orNull(stat(path))) {
        await orGone(syncFile(path))
        return await orGone(files.publish(path, key, { upload: token }))
      }
      const [note, info] = await Promise.all([files.readNote(key), files.head(key)])
      if (note.upload !== token || !info) throw uploadGone()
      return info
    },

    async abortUpload(upload) {
      await rm(pathOf(upload), { force: true })
    },

    async sweepUploads(openedBefore) {
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
