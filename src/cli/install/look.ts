import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { codeOf } from '../cli-error.ts'

/** `a` and `a/b` of `a/b/c`. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** A parent that is a file means that there is nothing. */
export async function lookAt(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw error
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await lookAt(path))?.isDirectory() ?? false
}

/** A regular file without a second name: writing into a hard link would change a file elsewhere. */
async function isOwnFile(path: string): Promise<boolean> {
  const found = await lookAt(path)
  return found !== null && found.isFile() && found.nlink === 1
}

/** Removes what is no file of shelf's own, so that nothing is written through links. */
export async function keepOwnFile(path: string): Promise<void> {
  if (!(await isOwnFile(path))) await rm(path, { recursive: true, force: true })
}

/** The same for a folder and the files in it. */
export async function keepOwnFolder(path: string): Promise<void> {
  if (!(await isFolder(path))) return await rm(path, { force: true })
  for (const name of await readdir(path)) await keepOwnFile(join(path, name))
}
