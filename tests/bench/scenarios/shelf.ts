import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

import { buildShelf } from '../../../infra/scripts/build-shelf.ts'
import { writeRandomFiles } from '../../helpers/cli/shelf.ts'
import { createTempDir } from '../../helpers/processes/child.ts'
import { readCpuSeconds, readMemory } from '../../helpers/processes/process-stats.ts'
import { ROOT, type ServerProcess } from '../environment.ts'
import { judge, type Line, median, type Target } from '../report/line.ts'
import { insertUploadAccounts, type UploadAccount } from '../uploads/upload-account.ts'
import { startPlayshelf } from '../uploads/upload-run.ts'
import type { Scenario } from './scenario.ts'

const MIB = 1024 ** 2
const ROUNDS = 3
const SEND_TARGET: Target = { of: 'ratio', must: 'reach', value: 0.8 }
const PACK_TARGET: Target = { of: 'ratio', must: 'reach', value: 1.5 }
const SIZE_TARGET: Target = { of: 'ratio', must: 'stay below', value: 1.03 }
const WATCH_MS = 20
/** The server is idle when it used less CPU time than this. */
const IDLE_MS = 500
const IDLE_CPU_SECONDS = 0.02
const MEMORY_TARGET: Target = { of: 'subject', must: 'stay below', value: 150 }

export interface WatchedRun {
  seconds: number
  peakMb: number
  cpuSeconds: number
  out: string
}

/** Limits a client to a core, so that it does not compete with the server. */
type Pin = readonly string[]
const ANY_CORE: Pin = []
const OWN_CORE: Pin = availableParallelism() === 2 ? ['taskset', '-c', '1'] : ANY_CORE

export const shelf: Scenario = {
  name: 'shelf',
  about: 'the uploader: 1 GB sent, against curl; 1 GB of mixed files packed, against zip -6 -r; its memory',
  async run(environment) {
    const dir = await createTempDir('bench-shelf')
    try {
      const [account] = await insertUploadAccounts(await environment.databaseUrl(), 1)
      if (!account) throw new Error('No account was made')
      await using server = await startPlayshelf(environment, { ROLE: 'all' })
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: dir.path,
        SHELF_SERVER: server.url,
        SHELF_ACCESS_TOKEN: account.headers['x-access-token'] ?? '',
        SHELF_SECRET_KEY: account.headers['x-secret-key'] ?? '',
      }
      const binary = await buildShelf(join(dir.path, 'shelf'))
      const flags = ['--os', 'linux', '--arch', 'x86_64', '--json', '--version']
      const push: Push = (path, version, pin = ANY_CORE) =>
        runWatched([...pin, binary, 'push', path, ...flags, version], env)
      const sent = await measureSending(dir.path, server, account, push)
      return [...sent, ...(await measurePacking(dir.path, push))]
    } finally {
      await dir.remove()
    }
  },
}

type Push = (path: string, version: string, pin?: Pin) => Promise<WatchedRun>

interface Round {
  ours: WatchedRun
  theirs: WatchedRun
}

/**
 * Two machines are imitated on two cores: the server has one, the client the other. Then the same without limits, where
 * both compete for the cores and the client's SHA-256 makes the server wait.
 */
async function measureSending(
  folder: string,
  server: ServerProcess,
  { buildId, headers }: UploadAccount,
  push: Push,
): Promise<Line[]> {
  await writeRandomFiles(folder, { 'sent.zip': 1024 * MIB })
  const path = join(folder, 'sent.zip')
  const sum = await runWatched(['sha256sum', path], {})
  const curl = [
    'curl',
    '-sS',
    '-o',
    '/dev/null',
    '--fail-with-body',
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    '-F',
    `build_id=${buildId}`,
    '-F',
    `checksum=${sum.out.slice(0, 64)}`,
    '-F',
    `file=@${path}`,
    `${server.url}/api/v1/tool/upload/files`,
  ]
  const measure = async (pin: Pin): Promise<Round[]> => {
    const rounds: Round[] = []
    while (rounds.length < ROUNDS) {
      await settle(server)
      const theirs = await runWatched([...pin, ...curl], {})
      await settle(server)
      const ours = await push(path, `1.${pin.length}.${rounds.length}`, pin)
      rounds.push({ ours, theirs })
    }
    return rounds
  }
  const shared = await measure(ANY_CORE)
  await pinServer(server.pid, '0')
  const apart = await measure(OWN_CORE)
  await pinServer(server.pid, '0,1')
  // curl needs the checksum from another program, which reads the file first.
  const withSum = shared.map(({ ours, theirs }) => ({
    ours,
    theirs: { ...theirs, seconds: theirs.seconds + sum.seconds },
  }))
  const peakMb = Math.max(...[...shared, ...apart].map(({ ours }) => ours.peakMb))
  return [
    toSending('1 GB zip sent, against curl, each with a core of its own', apart, SEND_TARGET),
    toSending('the same, where client and server share two cores', shared),
    toSending('the same, against sha256sum and curl', withSum),
    memoryLine('sending 1 GB', peakMb),
  ]
}

function toSending(measure: string, rounds: readonly Round[], target?: Target): Line {
  const speedOf = ({ seconds }: WatchedRun) => 1024 / seconds
  return judge({
    scenario: 'shelf',
    measure,
    unit: 'MB/s',
    subject: median(rounds.map(({ ours }) => speedOf(ours))),
    baseline: median(rounds.map(({ theirs }) => speedOf(theirs))),
    ratio: median(rounds.map(({ ours, theirs }) => speedOf(ours) / speedOf(theirs))),
    ...(target && { target }),
  })
}

/** Waits for the disk, and until the server has scanned the upload before. */
export async function settle({ pid }: ServerProcess): Promise<void> {
  await runWatched(['sync'], {})
  for (let used = Infinity; used > IDLE_CPU_SECONDS;) {
    const before = await readCpuSeconds(pid)
    await Bun.sleep(IDLE_MS)
    used = (await readCpuSeconds(pid)) - before
  }
}

async function pinServer(pid: number, cores: string): Promise<void> {
  if (OWN_CORE !== ANY_CORE) await runWatched(['taskset', '-a', '-c', '-p', cores, String(pid)], {})
}

async function measurePacking(folder: string, push: Push): Promise<Line[]> {
  const mixed = join(folder, 'mixed')
  await writeMixedFiles(mixed)
  const zip = join(folder, 'mixed.zip')
  const theirs = await runWatched(['zip', '-q', '-6', '-r', zip, '.'], {}, mixed)
  const baselineSize = Bun.file(zip).size
  await rm(zip)
  const packing = await packOnly(mixed, join(folder, 'packed.zip'))
  const pushed = await push(mixed, '2.0.0')
  return [
    judge({
      scenario: 'shelf',
      measure: '1 GB of mixed files packed, against zip -6 -r',
      unit: 'MB/s',
      subject: 1024 / packing.seconds,
      baseline: 1024 / theirs.seconds,
      target: PACK_TARGET,
    }),
    judge({
      scenario: 'shelf',
      measure: 'size of that zip, against zip -6 -r',
      unit: 'MB',
      subject: Bun.file(join(folder, 'packed.zip')).size / MIB,
      baseline: baselineSize / MIB,
      target: SIZE_TARGET,
    }),
    memoryLine('packing and sending 1 GB', pushed.peakMb),
  ]
}

/** The packer alone, in its own process. */
async function packOnly(source: string, target: string): Promise<WatchedRun> {
  const script = `
    const { listFiles } = await import('./src/cli/pack/list-files.ts')
    const { packFiles } = await import('./src/cli/pack/pack.ts')
    await packFiles(await listFiles(${JSON.stringify(source)}), ${JSON.stringify(target)},
      { signal: new AbortController().signal, onBytes() {} })`
  return await runWatched(['bun', '-e', script], { PATH: process.env['PATH'] ?? '' }, ROOT)
}

/** A third each of programs, text and data that is compressed already. */
async function writeMixedFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const program = await Bun.file(process.execPath).bytes()
  const third = 341 * MIB
  for (let at = 0, index = 0; at < third; at += program.length, index += 1) {
    await Bun.write(join(folder, `bin/game-${index}`), program.subarray(0, third - at))
  }
  const text =
    (await Bun.file(join(ROOT, 'bun.lock')).text()) + (await Bun.file(join(ROOT, 'README.md')).text())
  for (let at = 0, index = 0; at < third; at += text.length, index += 1) {
    await Bun.write(join(folder, `text/${index % 50}/${index}.txt`), text.slice(index % 1000))
  }
  await mkdir(join(folder, 'data'))
  const sizes = Array.from({ length: 31 }, (_, index) => [`data/${index}.ogg`, 11 * MIB])
  await writeRandomFiles(folder, Object.fromEntries(sizes))
}

export async function runWatched(
  command: string[],
  env: Record<string, string>,
  cwd?: string,
): Promise<WatchedRun> {
  const begin = performance.now()
  const child = Bun.spawn(command, { env, ...(cwd !== undefined && { cwd }), stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code, peakMb] = await Promise.all([
    ...([child.stdout.text(), child.stderr.text(), child.exited] as const),
    watchPeak(child),
  ])
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${out}${err}`)
  const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6
  return { seconds: (performance.now() - begin) / 1000, peakMb, cpuSeconds, out }
}

/** Asked while it runs: the figure that the system gives at the end includes the memory of this process. */
async function watchPeak(child: Bun.Subprocess): Promise<number> {
  let peak = 0
  while (child.exitCode === null && child.signalCode === null) {
    peak = await readMemory(child.pid, 'VmHWM').catch(() => peak)
    await Promise.race([child.exited, Bun.sleep(WATCH_MS)])
  }
  return peak
}

function memoryLine(what: string, subject: number): Line {
  const measure = `peak memory, ${what}`
  return judge({ scenario: 'shelf', measure, unit: 'MB', subject, baseline: null, target: MEMORY_TARGET })
}
