import { stat } from 'node:fs/promises'

import type { Logger } from '../../lib/log.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'

export interface Denylist {
  read(): Promise<ReadonlySet<string>>
}

const SHA256 = /^[0-9a-f]{64}$/

/**
 * The operator's list of forbidden files, `denylist.txt` in the DATA_DIR of every worker: each line starts
 * with a SHA-256 in hex, and `#` begins a comment. The file is reloaded when it changes.
 */
export function createDenylist(path: string, log: Logger): Denylist {
  let version = ''
  let hashes: ReadonlySet<string> = new Set()
  return {
    async read() {
      const found = await readVersion(path)
      if (found === version) return hashes
      hashes = found === '' ? new Set() : parseDenylist(await Bun.file(path).text(), path, log)
      version = found
      return hashes
    },
  }
}

/** Empty when there is no list. */
async function readVersion(path: string): Promise<string> {
  const file = await unlessMissing(stat(path))
  return file ? `${file.mtimeMs} ${file.size} ${file.ino}` : ''
}

function parseDenylist(text: string, path: string, log: Logger): ReadonlySet<string> {
  const hashes = new Set<string>()
  for (const [index, line] of text.split('\n').entries()) {
    const [word = ''] = line.trim().split(/[\s#]/, 1)
    if (word === '') continue
    if (SHA256.test(word.toLowerCase())) hashes.add(word.toLowerCase())
    else log.warn('A line of the deny list is not a SHA-256 and is left out', { path, line: index + 1 })
  }
  return hashes
}
