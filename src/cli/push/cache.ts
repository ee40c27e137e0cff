import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import { parseJsonOrNull } from '../../lib/json.ts'
import { DAY_MS } from '../../lib/time.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'

const Block = Type.Object({ sha256: Type.String(), size: Type.Integer(), packedSize: Type.Integer() })

/** What an interrupted push needs to continue. */
const PushState = Type.Object({
  version: Type.Literal(2),
  /** Identifies the files that were packed. */
  fingerprint: Type.String(),
  size: Type.Integer(),
  /** Null until the whole file was read. */
  checksum: Type.Union([Type.Null(), Type.String()]),
  entries: Type.Array(
    Type.Object({
      path: Type.String(),
      size: Type.Integer(),
      sha256: Type.Union([Type.Null(), Type.String()]),
      executable: Type.Boolean(),
      at: Type.Integer(),
      length: Type.Integer(),
      blocks: Type.Array(Block),
    }),
  ),
  /** The open upload session and the build it belongs to. */
  session: Type.Union([Type.Null(), Type.Object({ id: Type.String(), build_id: Type.String() })]),
})
export type PushState = Static<typeof PushState>

const ABANDONED_MS = 7 * DAY_MS

/** One folder per build in the system's cache: the packed zip and how far it was sent. */
export class PushCache {
  readonly #folder: string

  /** `identity` says which build of which game and folder this is. */
  constructor(root: string, identity: readonly string[]) {
    this.#folder = join(root, 'push', sha256Hex(JSON.stringify(identity)).slice(0, 32))
  }

  get zipPath(): string {
    return join(this.#folder, 'build.zip')
  }

  /** Renamed to `zipPath` once it is complete. */
  get draftPath(): string {
    return join(this.#folder, `build.zip.${process.pid}.part`)
  }

  /** Makes the folder and removes what a killed process left. */
  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(this.#folder)) {
      if (name.endsWith('.part')) await rm(join(this.#folder, name), { force: true })
    }
  }

  async read(): Promise<PushState | null> {
    const text = await unlessMissing(readFile(this.#statePath, 'utf8'))
    const state = text === null ? null : parseJsonOrNull(text)
    return Value.Check(PushState, state) ? state : null
  }

  async write(state: PushState): Promise<void> {
    const draft = `${this.#statePath}.part`
    await writeFile(draft, JSON.stringify(state), { mode: 0o600 })
    await rename(draft, this.#statePath)
  }

  /** Whether the zip of the state is still there. */
  async hasZip({ size }: PushState): Promise<boolean> {
    return (await unlessMissing(stat(this.zipPath)))?.size === size
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  get #statePath(): string {
    return join(this.#folder, 'state.json')
  }
}

/** Deletes what pushes that were never finished left behind. */
export async function removeAbandoned(root: string): Promise<void> {
  const parent = join(root, 'push')
  for (const name of (await unlessMissing(readdir(parent))) ?? []) {
    const folder = join(parent, name)
    const info = await unlessMissing(stat(folder))
    if (info && Date.now() - info.mtimeMs > ABANDONED_MS) await rm(folder, { recursive: true, force: true })
  }
}
