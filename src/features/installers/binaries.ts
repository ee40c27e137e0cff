import { join } from 'node:path'

import { cliFileName, type CliTarget } from '../../domain/builds/cli-targets.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'

export interface CliBinary {
  file: Bun.BunFile
  /** In lowercase hex. */
  sha256: string
}

/** Old checksums of replaced files need no longer be cached. */
const MAX_CACHED = 20

/** Reads the uploader's binaries from a folder whose files may be replaced while the program runs. */
export function createCliBinaries(folder: string) {
  const checksums = new BoundedCache<{ sha256: string }>({ maxEntries: MAX_CACHED })

  return {
    /** null where the store has no binary for this system. */
    async find(target: CliTarget): Promise<CliBinary | null> {
      const file = Bun.file(join(folder, cliFileName(target)))
      if (!(await file.exists())) return null
      const version = `${target} ${file.size} ${file.lastModified}`
      const { sha256 } = await checksums.load(version, async () => ({ sha256: await hashFile(file) }))
      return { file, sha256 }
    },
  }
}

async function hashFile(file: Bun.BunFile): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const bytes of file.stream()) hasher.update(bytes)
  return hasher.digest('hex')
}
