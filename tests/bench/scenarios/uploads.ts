import { readCpuSeconds } from '../../helpers/processes/process-stats.ts'
import type { Environment, ServerProcess } from '../environment.ts'
import { judge, type Line, median, type Target } from '../report/line.ts'
import { insertUploadAccounts, type UploadAccount } from '../uploads/upload-account.ts'
import type { UploadTask } from '../uploads/upload-child.ts'
import { runUpload, startEntry, startPlayshelf, startS3 } from '../uploads/upload-run.ts'
import type { Scenario } from './scenario.ts'

const MIB = 1024 * 1024
const BYTES = 1024 * MIB
const CHUNK_BYTES = 16 * MIB
const ROUNDS = 3
const NEAR: Target = { of: 'ratio', must: 'reach', value: 0.7 }
const AHEAD: Target = { of: 'ratio', must: 'reach', value: 1 }

interface Contender {
  name: string
  way: UploadTask['way']
  /** The whole file by default. */
  chunkBytes?: number
  url: string
  /** null if the client sends directly to the store. */
  server: ServerProcess | null
  env?: Record<string, string>
  /** The target of the first contender compared with this one. */
  target?: Target
}

interface Figures {
  mbPerSecond: number
  mbPerCpuSecond: number
}

export const uploads: Scenario = {
  name: 'uploads',
  about: '1 GB through the API to a folder and to S3, against a bare program, the AWS SDK and @tus/server',
  engines: ['s3'],
  async run(environment) {
    const accounts = await insertUploadAccounts(await environment.databaseUrl(), 1)
    return [...(await measureFolder(environment, accounts)), ...(await measureS3(environment, accounts))]
  },
}

async function measureFolder(environment: Environment, accounts: UploadAccount[]): Promise<Line[]> {
  await using servers = new AsyncDisposableStack()
  const ours = servers.use(await startPlayshelf(environment))
  const { DATA_DIR: FOLDER = '' } = await environment.settings()
  const raw = servers.use(await startEntry('raw-upload.ts', { FOLDER }))
  const tus = servers.use(await startEntry('tus.ts', await environment.settings()))
  const whole = await race(accounts, [
    { name: 'a file to a folder', way: 'whole', url: ours.url, server: ours },
    { name: 'raw body, SHA-256, disk', way: 'raw', url: raw.url, server: raw, target: NEAR },
    { name: '@tus/server', way: 'tus', url: tus.url, server: tus, target: AHEAD },
  ])
  const chunked = await race(accounts, [
    { name: 'chunks to a folder', way: 'chunks', chunkBytes: CHUNK_BYTES, url: ours.url, server: ours },
    { name: '@tus/server', way: 'tus', chunkBytes: CHUNK_BYTES, url: tus.url, server: tus, target: AHEAD },
  ])
  return [...whole, ...chunked]
}

async function measureS3(environment: Environment, accounts: UploadAccount[]): Promise<Line[]> {
  await using servers = new AsyncDisposableStack()
  const { url, env } = servers.use(await startS3(environment))
  const ours = servers.use(await startPlayshelf(environment, env))
  const tus = servers.use(await startEntry('tus.ts', await environment.settings(env)))
  const whole = await race(accounts, [
    { name: 'a file to S3', way: 'whole', url: ours.url, server: ours },
    { name: '@tus/server', way: 'tus', url: tus.url, server: tus, target: AHEAD },
  ])
  const chunked = await race(accounts, [
    { name: 'chunks to S3', way: 'chunks', chunkBytes: CHUNK_BYTES, url: ours.url, server: ours },
    { name: "the AWS SDK's own upload", way: 'sdk', url, server: null, env, target: NEAR },
    { name: '@tus/server', way: 'tus', chunkBytes: CHUNK_BYTES, url: tus.url, server: tus, target: AHEAD },
  ])
  return [...whole, ...chunked]
}

/** Compares the first with each of the others, alternating, so that other load affects all equally. */
async function race(accounts: UploadAccount[], contenders: readonly Contender[]): Promise<Line[]> {
  const rounds: Figures[][] = []
  while (rounds.length < ROUNDS) {
    const round: Figures[] = []
    for (const contender of contenders) round.push(await measure(accounts, contender))
    rounds.push(round)
  }
  const [subject, ...baselines] = contenders
  return baselines.flatMap(({ name, server, target }, index) => {
    const lineOf = (figure: keyof Figures, unit: string, goal?: Target) => {
      const own = rounds.map((round) => round[0]?.[figure] ?? Number.NaN)
      const others = rounds.map((round) => round[index + 1]?.[figure] ?? Number.NaN)
      return judge({
        scenario: 'uploads',
        measure: `${subject?.name}, against ${name}`,
        unit,
        subject: median(own),
        baseline: median(others),
        ratio: median(own.map((value, round) => value / (others[round] ?? Number.NaN))),
        ...(goal && { target: goal }),
        details: { own, others },
      })
    }
    const cpu = server ? [lineOf('mbPerCpuSecond', 'MB/CPU s')] : []
    return [lineOf('mbPerSecond', 'MB/s', target), ...cpu]
  })
}

async function measure(accounts: UploadAccount[], contender: Contender): Promise<Figures> {
  const { way, url, server, chunkBytes = BYTES, env = {} } = contender
  const readCpu = async () => (server ? await readCpuSeconds(server.pid) : Number.NaN)
  const before = await readCpu()
  const seconds = await runUpload({ way, url, accounts, bytes: BYTES, chunkBytes }, env)
  const cpuSeconds = (await readCpu()) - before
  return { mbPerSecond: BYTES / 1e6 / seconds, mbPerCpuSecond: BYTES / 1e6 / cpuSeconds }
}
