import { join } from 'node:path'

import type { computeResults, CountedVote, RankedEntry } from '../../../src/domain/jams/results.ts'
import { PYTHON } from '../engines/python.ts'

export interface Jam {
  criteria: readonly { primary: boolean }[]
  minRatings: number
  entries: readonly RankedEntry[]
  votes: readonly CountedVote[]
}

/** The results as a program of its own computes them. */
export async function countInPython(jam: Jam): Promise<ReturnType<typeof computeResults>> {
  const child = Bun.spawn([PYTHON, join(import.meta.dir, 'count-jam.py')], {
    stdin: Buffer.from(JSON.stringify(jam)),
    stderr: 'pipe',
  })
  const [printed, faults] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (child.exitCode !== 0) throw new Error(`The script failed: ${faults}`)
  return JSON.parse(printed) as ReturnType<typeof computeResults>
}
