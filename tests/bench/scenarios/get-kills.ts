import { join } from 'node:path'

import { buildShelf } from '../../../infra/scripts/build-shelf.ts'
import { createTempDir } from '../../helpers/processes/child.ts'
import { killUpdates } from '../install-kills.ts'
import { judge, type Line } from '../report/line.ts'
import type { Scenario } from './scenario.ts'

const KILLS = 200

export const getKills: Scenario = {
  name: 'get-kills',
  about:
    '200 updates that are killed at random moments: whether the game is whole, and what is fetched twice',
  isLong: true,
  async run() {
    const dir = await createTempDir('bench-get-kills')
    try {
      return await measureKills(await buildShelf(join(dir.path, 'shelf')), dir.path)
    } finally {
      await dir.remove()
    }
  },
}

async function measureKills(binary: string, dir: string): Promise<Line[]> {
  const { kills, broken, share } = await killUpdates(binary, dir, KILLS)
  return [
    judge({
      scenario: 'get-kills',
      measure: `games that were not whole after ${kills} kills at random moments`,
      unit: '',
      subject: broken,
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: 1 },
    }),
    judge({
      scenario: 'get-kills',
      measure: 'bytes sent with these kills, against none',
      unit: 'times',
      subject: share,
      baseline: 1,
      target: { of: 'ratio', must: 'stay below', value: 1.05 },
    }),
  ]
}
