import { join } from 'node:path'

import { listFiles } from '../../../src/cli/pack/list-files.ts'
import { packFiles } from '../../../src/cli/pack/pack.ts'
import { createTempDir } from '../processes/child.ts'

/** A zip as `shelf push` packs it. */
export async function packContents(contents: Readonly<Record<string, Uint8Array>>): Promise<Buffer> {
  const dir = await createTempDir('packed')
  try {
    const folder = join(dir.path, 'game')
    for (const [name, bytes] of Object.entries(contents)) await Bun.write(join(folder, name), bytes)
    const target = join(dir.path, 'game.zip')
    const { signal } = new AbortController()
    await packFiles(await listFiles(folder), target, { signal, onBytes: () => undefined })
    return Buffer.from(await Bun.file(target).bytes())
  } finally {
    await dir.remove()
  }
}

export function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}
