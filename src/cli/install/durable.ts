import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file so that it is the old or the new one, after a power loss too. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.new`
  await writeSynced(draft, content)
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** Makes the file anew: what has its name may be a link to another one. */
async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  await rm(path, { force: true })
  await using handle = await open(path, 'wx')
  await handle.writeFile(content)
  await handle.datasync()
}

export async function syncFile(path: string): Promise<void> {
  await using handle = await open(path, 'r+')
  await handle.datasync()
}

/** Makes new and renamed names in a folder last. Windows does it by itself and cannot open folders. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(path, 'r')
  await handle.sync()
}
