import { link, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { nginxCommand } from '../helpers/engines/nginx.ts'
import { findKeptPort } from '../helpers/processes/kept-port.ts'
import { readCpuSeconds } from '../helpers/processes/process-stats.ts'
import { runWatched, type WatchedRun } from './scenarios/shelf.ts'
import { startServerProcess } from './server-process.ts'

export interface Delta {
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
export async function updateByRsync({ dir, installed, offered }: Update): Promise<Delta> {
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
export async function updateByZsync({ dir, installed, offered }: Update): Promise<Delta> {
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
