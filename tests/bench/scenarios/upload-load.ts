import { readMemory } from '../../helpers/processes/process-stats.ts'
import type { Environment } from '../environment.ts'
import { judge, type Line } from '../report/line.ts'
import { insertUploadAccounts } from '../uploads/upload-account.ts'
import type { UploadTask } from '../uploads/upload-child.ts'
import { runUpload, startPlayshelf, startS3 } from '../uploads/upload-run.ts'
import type { Scenario } from './scenario.ts'

const MIB = 1024 * 1024
const CHUNK_BYTES = 16 * MIB
const LARGEST_BYTES = 5 * 1024 * MIB
const PEAK_MB = 250
const CROWD_PEAK_MB = 600
const CROWD = 200
/** Each game may have eight open sessions. */
const CROWD_GAMES = 25

export const uploadMemory: Scenario = {
  name: 'upload-memory',
  about: 'peak RSS while a file of 5 GB arrives, at once and in chunks, on a folder and on S3',
  engines: ['s3'],
  async run(environment) {
    await using s3 = await startS3(environment)
    const lines: Line[] = []
    for (const [storage, env] of Object.entries({ folder: {}, S3: s3.env })) {
      for (const way of ['whole', 'chunks'] as const) {
        const task = { way, bytes: LARGEST_BYTES, chunkBytes: CHUNK_BYTES }
        lines.push(...(await measure(environment, `5 GB ${way} to ${storage}`, task, env, 1)))
      }
    }
    return lines
  },
}

export const uploadCrowd: Scenario = {
  name: 'upload-crowd',
  about: `peak RSS during ${CROWD} uploads in chunks at once, none of which may fail`,
  engines: ['s3'],
  async run(environment) {
    await using s3 = await startS3(environment)
    const task = {
      way: 'chunks',
      bytes: CHUNK_BYTES + MIB,
      chunkBytes: CHUNK_BYTES,
      parallel: CROWD,
    } as const
    const folder = await measure(environment, `${CROWD} at once to a folder`, task, {}, CROWD_GAMES)
    return [...folder, ...(await measure(environment, `${CROWD} at once to S3`, task, s3.env, CROWD_GAMES))]
  },
}

/** Uses a new server, so that the memory of earlier runs does not count. */
async function measure(
  environment: Environment,
  name: string,
  task: Omit<UploadTask, 'url' | 'accounts'>,
  env: Record<string, string>,
  games: number,
): Promise<Line[]> {
  await using server = await startPlayshelf(environment, env)
  const accounts = await insertUploadAccounts(await environment.databaseUrl(), games)
  const seconds = await runUpload({ ...task, url: server.url, accounts })
  const scenario = games === 1 ? uploadMemory.name : uploadCrowd.name
  const bytes = task.bytes * (task.parallel ?? 1)
  return [
    judge({
      scenario,
      measure: `${name}, peak RSS`,
      unit: 'MB',
      subject: await readMemory(server.pid, 'VmHWM'),
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: games === 1 ? PEAK_MB : CROWD_PEAK_MB },
    }),
    judge({
      scenario,
      measure: `${name}, speed`,
      unit: 'MB/s',
      subject: bytes / 1e6 / seconds,
      baseline: null,
    }),
  ]
}
