import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { buildShelf } from '../../../infra/scripts/build-shelf.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import type { DownloadLink } from '../../../src/features/catalog/downloads/model.ts'
import { readData } from '../../helpers/json.ts'
import { createTempDir } from '../../helpers/processes/child.ts'
import { writeRandomFiles } from '../../helpers/shelf.ts'
import { killUpdates } from '../install-kills.ts'
import { judge, type Line, type Target } from '../line.ts'
import { readCpuSeconds } from '../process-stats.ts'
import { insertUploadAccounts } from '../uploads/upload-account.ts'
import { startPlayshelf } from '../uploads/upload-run.ts'
import type { Scenario } from './scenario.ts'
import { runWatched, type WatchedRun } from './shelf.ts'

const MIB = 1024 ** 2
/** Of the one file of the game. */
const SIZE = 1024 * MIB
const KILLS = 200
const below = (value: number): Target => ({ of: 'ratio', must: 'stay below', value })
const INSTALL_TARGET: Target = { of: 'ratio', must: 'reach', value: 0.8 }
const MEMORY_TARGET: Target = { of: 'subject', must: 'stay below', value: 150 }

interface Installed {
  fetched_bytes: number
  file_uid: string
}

export const get: Scenario = {
  name: 'get',
  about: 'installing 1 GB, against curl and unzip; updates of it in bytes and CPU of the server; 200 kills',
  isLong: true,
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
      const publish = (version: string) =>
        shelf('push', source, '--os', 'linux', '--arch', 'x86_64', '--version', version, '--wait')

      await mkdir(source)
      await writeRandomFiles(source, { 'data.pck': SIZE })
      await publish('1.0.0')
      const installed = await shelf('get', game, '--into', target, '--json')
      const { file_uid } = JSON.parse(installed.out) as Installed
      const answer = await fetch(`${server.url}/api/v1/player/files/${file_uid}/download`)
      const { url } = await readData<DownloadLink>(answer)
      const theirs = await unpackByHand(url, dir.path)

      const lines = [
        speedLine(installed, theirs),
        judge({
          scenario: 'get',
          measure: 'peak memory, installing 1 GB',
          unit: 'MB',
          subject: installed.peakMb,
          baseline: null,
          target: MEMORY_TARGET,
        }),
      ]
      const change = async (measure: string, version: string, share: number, edit: () => Promise<void>) => {
        await edit()
        await publish(version)
        const before = await readCpuSeconds(server.pid)
        const { out } = await shelf('update', target, '--json')
        const cpu = (await readCpuSeconds(server.pid)) - before
        const { updates } = JSON.parse(out) as { updates: Installed[] }
        lines.push(bytesLine(measure, updates[0]?.fetched_bytes ?? 0, share, cpu))
      }
      await change('a hundredth of a 1 GB file changed', '1.1.0', 0.02, () => overwrite(data))
      await change('1 KB inserted at its start', '1.2.0', 0.02, () => insert(data))
      await change('it has a new name', '1.3.0', 0.001, () => rename(data, join(source, 'renamed.pck')))
      await rm(target, { recursive: true })
      return [...lines, ...(await measureKills(binary, dir.path))]
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

function speedLine(ours: WatchedRun, theirs: WatchedRun): Line {
  return judge({
    scenario: 'get',
    measure: '1 GB installed, against curl and unzip',
    unit: 'MB/s',
    subject: SIZE / MIB / ours.seconds,
    baseline: SIZE / MIB / theirs.seconds,
    target: INSTALL_TARGET,
  })
}

function bytesLine(measure: string, bytes: number, share: number, serverCpuSeconds: number): Line {
  return judge({
    scenario: 'get',
    measure: `bytes of an update, ${measure}`,
    unit: 'MB',
    subject: bytes / MIB,
    baseline: SIZE / MIB,
    target: below(share),
    details: { serverCpuSeconds },
  })
}

async function measureKills(binary: string, dir: string): Promise<Line[]> {
  const { kills, broken, share } = await killUpdates(binary, dir, KILLS)
  return [
    judge({
      scenario: 'get',
      measure: `games that were not whole after ${kills} kills at random moments`,
      unit: '',
      subject: broken,
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: 1 },
    }),
    judge({
      scenario: 'get',
      measure: 'bytes sent with these kills, against none',
      unit: 'times',
      subject: share,
      baseline: 1,
      target: below(1.05),
    }),
  ]
}
