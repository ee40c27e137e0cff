import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { parseJson } from '../../lib/json.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError } from '../cli-error.ts'

const KeysFile = Type.Object({
  version: Type.Literal(1),
  stores: Type.Array(Type.Object({ server: Type.String(), key_id: Type.String() })),
})
type KeysFile = Static<typeof KeysFile>

/** The key of each store that was seen first, or that the store added while that one was still published. */
export class KnownKeys {
  readonly path: string

  constructor(folder: string) {
    this.path = join(folder, 'known-keys.json')
  }

  /** `published`: newest first. Throws if the key that is remembered is not among them. */
  async check(server: string, published: readonly string[]): Promise<void> {
    const { stores } = await this.#read()
    const known = stores.find((store) => store.server === server)
    const [newest] = published
    if (newest === undefined)
      throw new CliError('different', `${server} publishes no key, so that nothing can be checked.`)
    if (known && !published.includes(known.key_id)) {
      throw new CliError(
        'different',
        `${server} signs with another key than before.\n  remembered ${known.key_id}\n  published  ${newest}`,
        {
          hint: `Ask its operator which one is right. To accept the new one, remove the store from ${this.path}.`,
        },
      )
    }
    if (known?.key_id === newest) return
    const others = stores.filter((store) => store.server !== server)
    await this.#write([...others, { server, key_id: newest }])
  }

  async #read(): Promise<KeysFile> {
    const text = await unlessMissing(readFile(this.path, 'utf8'))
    if (text === null) return { version: 1, stores: [] }
    const content = readContent(text)
    if (Value.Check(KeysFile, content)) return content
    throw new CliError('different', `${this.path} is damaged, so that the key of the store is not known.`, {
      hint: 'Restore it, or remove it to remember the keys that are published now.',
    })
  }

  async #write(stores: KeysFile['stores']): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    const draft = `${this.path}.${process.pid}`
    await writeFile(draft, `${JSON.stringify({ version: 1, stores }, null, 2)}\n`, { mode: 0o600 })
    await rename(draft, this.path)
  }
}

function readContent(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
