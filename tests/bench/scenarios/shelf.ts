import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { buildShelf } from '../../../infra/scripts/build-shelf.ts'
import { createTempDir } from '../../helpers/child.ts'
import { writeRandomFiles } from '../../helpers/shelf.ts'
import { ROOT } from '../environment.ts'
import { judge, type Line, type Target } from '../line.ts'
import { readMemory } from '../process-stats.ts'
import { median } from '../statistics.ts'
import { insertUploadAccounts } from '../upload-account.ts'
import { startPlayshelf } from '../upload-run.ts'
import type { Scenario } from './scenario.ts'

const MIB = 1024 ** 2
const ROUNDS = 3
const SEND_TARGET: Target = { of: 'ratio', must: 'reach', value: 0.8 }
const PACK_TARGET: Target = { of: 'ratio', must: 'reach', value: 1.5 }
const SIZE_TARGET: Target = { of: 'ratio', must: 'stay below', value: 1.03 }
const WATCH_MS = 20
const MEMORY_TARGET: Target = { of: 'subject', must: 'stay below', value: 150 }

interface Run {
  seconds: number
  peakMb: number
  out: string
}

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
        ...{ PATH: process.env['PATH'] ?? '', HOME: dir.path, SHELF_SERVER: server.url },
        SHELF_ACCESS_TOKEN: account.headers['x-access-token'] ?? '',
        SHELF_SECRET_KEY: account.headers['x-secret-key'] ?? '',
      }
      const binary = await buildShelf(join(dir.path, 'shelf'))
      const push = (path: string, version: string) =>
        run([binary, 'push', path, '--os', 'linux', '--arch', 'x86_64', '--version', version, '--json'], env)
      const sent = await measureSending(dir.path, server.url, account, push)
      return [...sent, ...(await measurePacking(dir.path, push))]
    } finally {
      await dir.remove()
    }
  },
}

type Push = (path: string, version: string) => Promise<Run>

async function measureSending(
  folder: string,
  url: string,
  { buildId, headers }: { buildId: string; headers: Record<string, string> },
  push: Push,
): Promise<Line[]> {
  await writeRandomFiles(folder, { 'sent.zip': 1024 * MIB })
  const path = join(folder, 'sent.zip')
  const sums = await run(['sha256sum', path], {})
  const curl = [
    ...['curl', '-sS', '-o', '/dev/null', '--fail-with-body'],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...['-F', `build_id=${buildId}`, '-F', `checksum=${sums.out.slice(0, 64)}`, '-F', `file=@${path}`],
    `${url}/api/v1/tool/upload/files`,
  ]
  const rounds: { ours: Run; theirs: Run; withSum: Run }[] = []
  while (rounds.length < ROUNDS) {
    const sum = await run(['sha256sum', path], {})
    const theirs = await run(curl, {})
    const ours = await push(path, `1.0.${rounds.length}`)
    // curl needs the checksum from another program, which reads the file first.
    rounds.push({ ours, theirs, withSum: { ...theirs, seconds: theirs.seconds + sum.seconds } })
  }
  const mbPerSecond = (pick: (round: (typeof rounds)[number]) => Run) =>
    median(rounds.map((round) => 1024 / pick(round).seconds))
  return [
    judge({
      ...{ scenario: 'shelf', measure: '1 GB zip sent, against curl', unit: 'MB/s' },
      subject: mbPerSecond(({ ours }) => ours),
      baseline: mbPerSecond(({ theirs }) => theirs),
      target: SEND_TARGET,
    }),
    judge({
      ...{ scenario: 'shelf', measure: 'the same, against sha256sum and curl', unit: 'MB/s' },
      subject: mbPerSecond(({ ours }) => ours),
      baseline: mbPerSecond(({ withSum }) => withSum),
    }),
    memoryLine('sending 1 GB', Math.max(...rounds.map(({ ours }) => ours.peakMb))),
  ]
}

async function measurePacking(folder: string, push: Push): Promise<Line[]> {
  const mixed = join(folder, 'mixed')
  await writeMixedFiles(mixed)
  const zip = join(folder, 'mixed.zip')
  const theirs = await run(['zip', '-q', '-6', '-r', zip, '.'], {}, mixed)
  const baselineSize = Bun.file(zip).size
  await rm(zip)
  const packing = await packOnly(mixed, join(folder, 'packed.zip'))
  const pushed = await push(mixed, '2.0.0')
  return [
    judge({
      ...{ scenario: 'shelf', measure: '1 GB of mixed files packed, against zip -6 -r', unit: 'MB/s' },
      subject: 1024 / packing.seconds,
      baseline: 1024 / theirs.seconds,
      target: PACK_TARGET,
    }),
    judge({
      ...{ scenario: 'shelf', measure: 'size of that zip, against zip -6 -r', unit: 'MB' },
      subject: Bun.file(join(folder, 'packed.zip')).size / MIB,
      baseline: baselineSize / MIB,
      target: SIZE_TARGET,
    }),
    memoryLine('packing and sending 1 GB', pushed.peakMb),
  ]
}

/** The packer alone, in its own process. */
async function packOnly(source: string, target: string): Promise<Run> {
  const script = `
    const { listFiles } = await import('./src/cli/pack/list-files.ts')
    const { packFiles } = await import('./src/cli/pack/pack.ts')
    await packFiles(await listFiles(${JSON.stringify(source)}), ${JSON.stringify(target)},
      { signal: new AbortController().signal, onBytes() {} })`
  return await run(['bun', '-e', script], { PATH: process.env['PATH'] ?? '' }, ROOT)
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

async function run(command: string[], env: Record<string, string>, cwd?: string): Promise<Run> {
  const begin = performance.now()
  const child = Bun.spawn(command, { env, ...(cwd !== undefined && { cwd }), stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code, peakMb] = await Promise.all([
    ...([child.stdout.text(), child.stderr.text(), child.exited] as const),
    watchPeak(child),
  ])
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${out}${err}`)
  return { seconds: (performance.now() - begin) / 1000, peakMb, out }
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
