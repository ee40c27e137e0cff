import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import { parseJsonOrNull } from '../../lib/json.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'

const Entry = Type.Object({ folder: Type.String() })

/** The folders with installed games, each in a file of its own, so that commands at the same time do not lose one. */
export class InstallRegistry {
  readonly #folder: string

  constructor(configFolder: string) {
    this.#folder = join(configFolder, 'installs')
  }

  async list(): Promise<string[]> {
    const folders: string[] = []
    for (const name of (await unlessMissing(readdir(this.#folder))) ?? []) {
      if (!name.endsWith('.json')) continue
      const text = await unlessMissing(readFile(join(this.#folder, name), 'utf8'))
      const entry = text === null ? null : parseJsonOrNull(text)
      if (Value.Check(Entry, entry)) folders.push(entry.folder)
    }
    return folders.sort()
  }

  async add(folder: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = this.#path(folder)
    await writeFile(`${path}.${process.pid}`, JSON.stringify({ folder }))
    await rename(`${path}.${process.pid}`, path)
  }

  async remove(folder: string): Promise<void> {
    await rm(this.#path(folder), { force: true })
  }

  #path(folder: string): string {
    return join(this.#folder, `${sha256Hex(folder).slice(0, 16)}.json`)
  }
}
