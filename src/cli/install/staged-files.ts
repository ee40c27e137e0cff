import { type FileHandle, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

import { createBlockReader } from '../../lib/zip/block-reader.ts'
import { codeOf } from '../cli-error.ts'
import { syncFile } from './durable.ts'
import { openForWriting } from './fetch/fetch-parts.ts'
import { Spool } from './fetch/spool.ts'
import { keepOwnFile, keepOwnFolder } from './look.ts'
import type { NewFile } from './plan.ts'
import { statePaths } from './record.ts'
import { writeAll } from './write-all.ts'

const SYNCS_AT_ONCE = 8

/** The files of the next version while they are written, beside the installed ones. */
export class StagedFiles {
  readonly folder: string
  readonly #spools: string

  /** Of the installation. */
  constructor(folder: string) {
    const { staged, spools } = statePaths(folder)
    this.folder = staged
    this.#spools = spools
  }

  /** Removes what another version needed, and what shelf did not write. */
  async prepare(files: readonly NewFile[]): Promise<void> {
    const names = new Set(files.map(({ staged }) => staged))
    for (const [folder, keepOwn] of [
      [this.folder, keepOwnFile],
      [this.#spools, keepOwnFolder],
    ] as const) {
      await mkdir(folder, { recursive: true })
      for (const name of await readdir(folder)) {
        const path = join(folder, name)
        if (names.has(name)) await keepOwn(path)
        else await rm(path, { recursive: true, force: true })
      }
    }
  }

  path({ staged }: NewFile): string {
    return join(this.folder, staged)
  }

  async open(file: NewFile): Promise<FileHandle> {
    return await openForWriting(this.path(file), file.isExecutable)
  }

  async writeEmpty(file: NewFile): Promise<void> {
    await using handle = await this.open(file)
    await handle.truncate(0)
  }

  async remove(file: NewFile): Promise<void> {
    await rm(this.path(file), { force: true })
  }

  /** For the packed bytes of a file that cannot be unpacked in parts. */
  spool({ staged, packedAt, packed }: NewFile): Spool {
    return new Spool(join(this.#spools, staged), packedAt, packed)
  }

  /** False for bytes that are not what the store announced. Never writes more than that. */
  async unpackSpool(file: NewFile, signal: AbortSignal): Promise<boolean> {
    const packed = createBlockReader(this.spool(file)).stream(0, file.packed)
    const content: AsyncIterable<Uint8Array> = file.isDeflated
      ? pipeline(packed, createInflateRaw(), () => undefined)
      : packed
    const draft = `${this.path(file)}.part`
    await rm(draft, { force: true })
    try {
      await using handle = await openForWriting(draft, file.isExecutable)
      let size = 0
      for await (const piece of content) {
        signal.throwIfAborted()
        size += piece.length
        if (size > file.size) return false
        await writeAll(handle, piece)
      }
    } catch (error) {
      if (String(codeOf(error)).startsWith('Z_')) return false
      throw error
    }
    await rename(draft, this.path(file))
    return true
  }

  /** Before they are put in place: the system may hold the bytes only in memory. */
  async sync(files: readonly NewFile[]): Promise<void> {
    const queue = files.values()
    const work = async () => {
      for (const file of queue) await syncFile(this.path(file))
    }
    await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, work))
  }
}
