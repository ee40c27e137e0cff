import { runObjectStoreBench } from '../object-store.ts'
import { judge } from '../report/line.ts'
import type { Scenario } from './scenario.ts'

export const objectStore: Scenario = {
  name: 'object-store',
  about: '2 GB to a folder and to S3 through the object store, against the bare store',
  engines: ['s3'],
  async run() {
    const rows = await runObjectStoreBench()
    const measured = rows.filter((row) => !row.name.endsWith(' raw'))
    return measured.flatMap((row) => [
      judge({
        scenario: 'object-store',
        measure: `${row.name}, speed`,
        unit: 'MB/s',
        subject: row.mbPerSecond,
        baseline: row.mbPerSecond / row.ratioToRaw,
        ratio: row.ratioToRaw,
        target: { of: 'ratio', must: 'reach', value: 0.7 },
      }),
      judge({
        scenario: 'object-store',
        measure: `${row.name}, peak RSS`,
        unit: 'MB',
        subject: row.peakRssMb,
        baseline: null,
        target: { of: 'subject', must: 'stay below', value: 200 },
      }),
    ])
  },
}
