import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { parseJson } from '../../lib/json.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { DAY_MS } from '../../lib/utc-days.ts'
import type { PackedBlock, PackedEntry } from '../pack/zip-spool.ts'

const Index = Type.Array(Type.Tuple([Type.String(), Type.Integer(), Type.Integer()]))
const UNUSED_MS = 90 * DAY_MS

/**
 * Remembers the blocks of files that this machine uploaded, so that a change inside a large file sends only
 * that part. Without it, whole files are compared.
 */
export class BlockIndex {
  readonly #folder: string

  constructor(cache: string) {
    this.#folder = join(cache, 'blocks')
  }

  async read(fileUid: string): Promise<PackedBlock[]> {
    const text = await unlessMissing(readFile(this.#path(fileUid), 'utf8'))
    if (text === null) return []
    try {
      const index = parseJson(text)
      return Value.Check(Index, index) ? index.map(([hash, at, length]) => ({ hash, at, length })) : []
    } catch {
      return []
    }
  }

  async save(fileUid: string, entries: readonly PackedEntry[]): Promise<void> {
    const blocks = entries.flatMap((entry) => entry.blocks ?? [])
    if (blocks.length === 0) return
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const index = blocks.map(({ hash, at, length }) => [hash, at, length])
    await writeFile(this.#path(fileUid), JSON.stringify(index), { mode: 0o600 })
  }

  /** Deletes what was not written for long. */
  async prune(): Promise<void> {
    for (const name of (await unlessMissing(readdir(this.#folder))) ?? []) {
      const path = join(this.#folder, name)
      const info = await unlessMissing(stat(path))
      if (info && Date.now() - info.mtimeMs > UNUSED_MS) await rm(path, { force: true })
    }
  }

  #path(fileUid: string): string {
    return join(this.#folder, `${encodeURIComponent(fileUid)}.json`)
  }
}
