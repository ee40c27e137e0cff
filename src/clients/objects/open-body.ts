import { existsSync } from 'node:fs'

import { AppError } from '../../errors.ts'
import type { ObjectStore } from './object-store.ts'

/** The bytes of an object, or a part of them, to be sent; a file where the store keeps one on this machine. */
export async function openBody(
  objects: Pick<ObjectStore, 'get' | 'localPath'>,
  key: string,
  range: { start: number; end: number } | null = null,
): Promise<Blob | ReadableStream<Uint8Array>> {
  const path = objects.localPath(key)
  if (path === null) return (await objects.get(key, range ?? undefined)).stream
  if (!existsSync(path)) throw new AppError('not_found')
  return range ? Bun.file(path).slice(range.start, range.end + 1) : Bun.file(path)
}
