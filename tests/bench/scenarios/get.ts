import { link, mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { buildShelf } from '../../../infra/scripts/build-shelf.ts'
import { hostArchitectures } from '../../../src/cli/install/choose-build.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import type { DownloadLink } from '../../../src/features/catalog/downloads/model.ts'
import { writeRandomFiles } from '../../helpers/cli/shelf.ts'
import { nginxCommand } from '../../helpers/engines/nginx.ts'
import { readData } from '../../helpers/json.ts'
import { createTempDir, findKeptPort } from '../../helpers/processes/child.ts'
import { readCpuSeconds } from '../../helpers/processes/process-stats.ts'
import { startServerProcess } from '../environment.ts'
import { judge, type Line, median, type Target } from '../report/line.ts'
import { insertUploadAccounts } from '../uploads/upload-account.ts'
import { startPlayshelf } from '../uploads/upload-run.ts'
import type { Scenario } from './scenario.ts'
import { runWatched, settle, type WatchedRun } from './shelf.ts'

const MIB = 1024 ** 2
/** Of the one file of the game. */
const SIZE = 1024 * MIB
const ROUNDS = 3
const ARCH = hostArchitectures('linux', process.arch)[0] ?? ''
/** Against the better of rsync and zsync. */
const BYTES_TARGET = 1.5
const below = (value: number): Target => ({ of: 'ratio', must: 'stay below', value })
const INSTALL_TARGET: Target = { of: 'ratio', must: 'reach', value: 0.8 }
const MEMORY_TARGET: Target = { of: 'subject', must: 'stay below', value: 150 }

interface InstallRound {
  ours: WatchedRun
  theirs: WatchedRun
}

interface Change {
  measure: string
  version: string
  /** Of all bytes, that may be fetched at most. */
  share: number
  edit: () => Promise<void>
  /** The file of the new version. */
  offered?: string
}

interface Installed {
  fetched_bytes: number
  file_uid: string
}

export const get: Scenario = {
  name: 'get',
  about: 'installing 1 GB, against curl and unzip; updates of it, against rsync and zsync',
  isLong: true,
  engines: ['archivers', 'deltas', 'nginx'],
  async run(environment) {
    const dir = await createTempDir('bench-get')
    try {
      const databaseUrl = await environment.databaseUrl()
      const [account] = await insertUploadAccounts(databaseUrl, 1)
      if (!account) throw new Error('No account was made')
      const game = await openToAll(databaseUrl)
      await using server = await startPlayshelf(environment, { ROLE: 'all' })
      const binary = await buildShelf(join(dir.path, 'shelf'))
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: dir.path,
        SHELF_SERVER: server.url,
        SHELF_ACCESS_TOKEN: account.headers['x-access-token'] ?? '',
        SHELF_SECRET_KEY: account.headers['x-secret-key'] ?? '',
      }
      const shelf = (...args: string[]) => runWatched([binary, ...args], env)
      const source = join(dir.path, 'source')
      const [data, target] = [join(source, 'data.pck'), join(dir.path, 'game')]
      /** Returns the CPU time of the server, which receives and scans it. */
      const publish = async (path: string, version: string, os = 'linux') => {
        await settle(server)
        const before = await readCpuSeconds(server.pid)
        await shelf('push', path, '--os', os, '--arch', ARCH, '--version', version, '--wait')
        await settle(server)
        return (await readCpuSeconds(server.pid)) - before
      }

      await mkdir(source)
      await writeRandomFiles(source, { 'data.pck': SIZE })
      const plain = join(dir.path, 'without-blocks.zip')
      await runWatched(['zip', '-q', '-0', '-j', plain, data], env)
      // Each for another system, so that none is sent as a difference to another; the first warms the server up.
      await publish(plain, '1.0.0', 'macos')
      const withoutBlocks = await publish(plain, '1.0.0', 'windows')
      const prepareCpuSeconds = (await publish(source, '1.0.0')) - withoutBlocks
      await rm(plain)
      const rounds: InstallRound[] = []
      while (rounds.length < ROUNDS) {
        await rm(target, { recursive: true, force: true })
        const ours = await shelf('get', game, '--into', target, '--json')
        const { file_uid } = JSON.parse(ours.out) as Installed
        const answer = await fetch(`${server.url}/api/v1/player/files/${file_uid}/download`)
        const { url } = await readData<DownloadLink>(answer)
        rounds.push({ ours, theirs: await unpackByHand(url, dir.path) })
      }

      const lines = [
        speedLine(rounds),
        judge({
          scenario: 'get',
          measure: 'peak memory, installing 1 GB',
          unit: 'MB',
          subject: Math.max(...rounds.map(({ ours }) => ours.peakMb)),
          baseline: null,
          target: MEMORY_TARGET,
        }),
      ]
      const change = async ({ measure, version, share, edit, offered = data }: Change) => {
        await edit()
        await publish(source, version)
        const others = { dir: dir.path, installed: join(target, 'data.pck'), offered }
        const rsync = await updateByRsync(others)
        const zsync = await updateByZsync(others)
        const before = await readCpuSeconds(server.pid)
        const { out, cpuSeconds: clientCpuSeconds } = await shelf('update', target, '--json')
        const serverCpuSeconds = (await readCpuSeconds(server.pid)) - before
        const { updates } = JSON.parse(out) as { updates: Installed[] }
        const bytes = updates[0]?.fetched_bytes ?? 0
        const ours = { bytes, clientCpuSeconds, serverCpuSeconds, prepareCpuSeconds }
        lines.push(...updateLines(measure, share, { ours, rsync, zsync }))
      }
      const renamed = join(source, 'renamed.pck')
      for (const step of [
        { measure: 'a hundredth changed', version: '1.1.0', share: 0.02, edit: () => overwrite(data) },
        { measure: '1 KB inserted', version: '1.2.0', share: 0.02, edit: () => insert(data) },
        {
          measure: 'renamed',
          version: '1.3.0',
          share: 0.001,
          edit: () => rename(data, renamed),
          offered: renamed,
        },
      ])
        await change(step)
      return lines
    } finally {
      await dir.remove()
    }
  },
}

/** Returns the uid of the only game. */
async function openToAll(databaseUrl: string): Promise<string> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  try {
    const values = { visibility: 'public', anonymousDownloads: true } as const
    const [game] = await database.db.update(games).set(values).returning({ uid: games.uid })
    if (!game) throw new Error('There is no game')
    return game.uid
  } finally {
    await database.dispose()
  }
}

async function unpackByHand(url: string, dir: string): Promise<WatchedRun> {
  const [zip, folder] = [join(dir, 'by-hand.zip'), join(dir, 'by-hand')]
  const env = { PATH: process.env['PATH'] ?? '' }
  const fetched = await runWatched(['curl', '-sS', '--fail', '-o', zip, url], env)
  const unpacked = await runWatched(['unzip', '-q', zip, '-d', folder], env)
  await Promise.all([rm(zip), rm(folder, { recursive: true })])
  return { ...unpacked, seconds: fetched.seconds + unpacked.seconds }
}

async function overwrite(path: string): Promise<void> {
  const bytes = await Bun.file(path).bytes()
  for (let at = SIZE / 2; at < SIZE / 2 + SIZE / 100; at += 65_536)
    crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  await Bun.write(path, bytes)
}

async function insert(path: string): Promise<void> {
  const bytes = await Bun.file(path).bytes()
  await Bun.write(path, new Blob([crypto.getRandomValues(new Uint8Array(1024)), bytes]))
}

function speedLine(rounds: readonly InstallRound[]): Line {
  const speedOf = ({ seconds }: WatchedRun) => SIZE / MIB / seconds
  return judge({
    scenario: 'get',
    measure: '1 GB installed, against curl and unzip',
    unit: 'MB/s',
    subject: median(rounds.map(({ ours }) => speedOf(ours))),
    baseline: median(rounds.map(({ theirs }) => speedOf(theirs))),
    ratio: median(rounds.map(({ ours, theirs }) => speedOf(ours) / speedOf(theirs))),
    target: INSTALL_TARGET,
    details: { rounds },
  })
}

function updateLines(
  what: string,
  share: number,
  { ours, rsync, zsync }: { ours: Delta; rsync: Delta; zsync: Delta },
): Line[] {
  const line = (measure: string, unit: string, subject: number, baseline: number, target?: Target): Line =>
    judge({
      scenario: 'get',
      measure: `1 GB, ${what}: ${measure}`,
      unit,
      subject,
      baseline,
      ...(target && { target }),
    })
  const best = Math.min(rsync.bytes, zsync.bytes)
  return [
    {
      ...line('bytes, against all', 'MB', ours.bytes / MIB, SIZE / MIB, below(share)),
      details: { ours, rsync, zsync },
    },
    line(
      'bytes, against the better of rsync and zsync',
      'MB',
      ours.bytes / MIB,
      best / MIB,
      below(BYTES_TARGET),
    ),
    line('CPU of the server, against rsync', 's', ours.serverCpuSeconds, rsync.serverCpuSeconds, below(1)),
    line('CPU of the server, against nginx for zsync', 's', ours.serverCpuSeconds, zsync.serverCpuSeconds),
    line(
      'CPU of the server with checking the blocks once, against nginx and zsyncmake',
      's',
      ours.prepareCpuSeconds + ours.serverCpuSeconds,
      zsync.prepareCpuSeconds + zsync.serverCpuSeconds,
      below(1),
    ),
    line('CPU of the client, against rsync', 's', ours.clientCpuSeconds, rsync.clientCpuSeconds),
    line('CPU of the client, against zsync', 's', ours.clientCpuSeconds, zsync.clientCpuSeconds),
  ]
}

interface Delta {
  bytes: number
  clientCpuSeconds: number
  /** Of one update. */
  serverCpuSeconds: number
  /** Once for each version, whoever fetches it. */
  prepareCpuSeconds: number
}

/** An update of one file by a program that fetches only what changed. */
interface Update {
  dir: string
  /** What the player has. */
  installed: string
  /** What the server offers. */
  offered: string
}

const ENV = { PATH: process.env['PATH'] ?? '' }
const START_MS = 5000

/** Between a daemon and a client; `--fuzzy` finds the file under its old name. */
async function updateByRsync({ dir, installed, offered }: Update): Promise<Delta> {
  const folder = join(dir, 'by-rsync')
  const [served, target] = [join(folder, 'served'), join(folder, 'target')]
  await mkdir(served, { recursive: true })
  await mkdir(target)
  await link(offered, join(served, basename(offered)))
  await link(installed, join(target, basename(installed)))
  const port = findKeptPort()
  const config = join(folder, 'rsyncd.conf')
  await Bun.write(config, `use chroot = no\nuid = root\ngid = root\n[game]\npath = ${served}\n`)
  const address = ['--address=127.0.0.1', `--port=${port}`, `--config=${config}`]
  const daemon = Bun.spawn(['rsync', '--daemon', '--no-detach', ...address], { env: ENV, stderr: 'ignore' })
  try {
    await waitForPort(port)
    const flags = ['-r', '--fuzzy', '--delete-delay', '--ignore-times', '--no-whole-file', '--stats']
    const client = await runWatched(['rsync', ...flags, `rsync://127.0.0.1:${port}/game/`, `${target}/`], ENV)
    return { ...finish(client, readStats(client.out)), serverCpuSeconds: await end(daemon) }
  } finally {
    daemon.kill()
    await rm(folder, { recursive: true })
  }
}

/** From an ordinary web server, by a list of checksums that is made for every version. */
async function updateByZsync({ dir, installed, offered }: Update): Promise<Delta> {
  const folder = join(dir, 'by-zsync')
  const served = join(folder, 'served')
  await mkdir(served, { recursive: true })
  await link(offered, join(served, 'file'))
  const list = join(served, 'file.zsync')
  const made = await runWatched(['zsyncmake', '-u', 'file', '-o', list, join(served, 'file')], ENV)
  const web = await startServerProcess({ command: await nginxCommand(folder, served), path: '/file.zsync' })
  try {
    const before = await readCpuSeconds(web.pid)
    const command = ['zsync', '-i', installed, '-o', join(folder, 'fetched'), `${web.url}/file.zsync`]
    const client = await runWatched(command, ENV, folder)
    const serverCpuSeconds = (await readCpuSeconds(web.pid)) - before
    const fetched = Number(/fetched (\d+)/.exec(client.out)?.[1] ?? Number.NaN)
    const delta = finish(client, fetched + Bun.file(list).size)
    return { ...delta, serverCpuSeconds, prepareCpuSeconds: made.cpuSeconds }
  } finally {
    await web.stop()
    await rm(folder, { recursive: true })
  }
}

function finish({ cpuSeconds: clientCpuSeconds }: WatchedRun, bytes: number) {
  if (!Number.isFinite(bytes)) throw new Error('It does not say how many bytes were sent')
  return { bytes, clientCpuSeconds, prepareCpuSeconds: 0 }
}

function readStats(stats: string): number {
  const read = (name: string) =>
    Number(new RegExp(`Total bytes ${name}: ([\\d,]+)`).exec(stats)?.[1]?.replaceAll(',', '') ?? Number.NaN)
  return read('sent') + read('received')
}

/** Returns the CPU time of the daemon and what it started. */
async function end(daemon: Bun.Subprocess): Promise<number> {
  daemon.kill('SIGTERM')
  await daemon.exited
  return Number(daemon.resourceUsage()?.cpuTime.total ?? 0) / 1e6
}

async function waitForPort(port: number): Promise<void> {
  for (const begin = performance.now(); performance.now() - begin < START_MS; await Bun.sleep(20)) {
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: { data: () => undefined },
    }).catch(() => null)
    if (socket) return void socket.end()
  }
  throw new Error('The rsync daemon does not start')
}
