import { statfs } from 'node:fs/promises'

import { AppError } from '../../../errors.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { formatBytes } from '../../../lib/text/byte-sizes.ts'
import { unlessMissing } from '../../../lib/unless-missing.ts'

/** How old the figure may be that uploads are judged by. */
const FRESH_MS = 1000

export interface DiskRoom {
  /** Throws `storage_full` if less than the reserve would be free after so many more bytes. */
  require(bytes?: number): Promise<void>
}

/** The disk of a folder, of which `reserve` bytes stay free for everything but uploads; 0 turns the check off. */
export function createDiskRoom(folder: string, reserve: number): DiskRoom {
  const readFree = memoize(FRESH_MS, async () => {
    const disk = await unlessMissing(statfs(folder))
    // Before the first object there is no folder.
    return disk ? disk.bavail * disk.bsize : Infinity
  })
  return {
    async require(bytes = 0) {
      if (reserve === 0) return
      const free = await readFree()
      if (free - bytes >= reserve) return
      const cause = `${formatBytes(free)} are free on the disk of ${folder}; ${formatBytes(reserve)} must stay free`
      throw new AppError('storage_full', { cause: new Error(cause) })
    },
  }
}
