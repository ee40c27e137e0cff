import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { buildShelf } from '../../../infra/scripts/build-shelf.ts'
import { startInstallStore } from '../../helpers/cli/install-store.ts'
import { randomBytes } from '../../helpers/files/packed-zip.ts'
import { createTempDir } from '../../helpers/processes/child.ts'
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

const MIB = 1024 ** 2
/** Of the game that is updated; nothing of it stays the same. */
const SIZE = 64 * MIB

interface KilledUpdates {
  kills: number
  /** How often the game was neither the old nor the new version afterwards. */
  broken: number
  /** Bytes that were sent, for each byte that an update without kills needs. */
  share: number
}

/** Kills each update once at a random moment, looks without the network at what is installed, and goes on. */
async function killUpdates(binary: string, dir: string, count: number): Promise<KilledUpdates> {
  const store = await startInstallStore()
  try {
    const env = { PATH: '', HOME: dir, SHELF_SERVER: store.url }
    const shelf = (args: readonly string[], more: Record<string, string> = {}) =>
      Bun.spawn([binary, ...args], { cwd: dir, env: { ...env, ...more }, stdout: 'pipe', stderr: 'pipe' })
    const [installed, folder] = [join(dir, 'installed'), join(dir, 'game')]
    await store.offer({ data: randomBytes(SIZE), name: Buffer.from('old') })
    await requireDone(shelf(['get', 'moss-garden', '--into', installed]))
    await store.offer({ data: randomBytes(SIZE), name: Buffer.from('new'), more: randomBytes(MIB) }, '2')
    await prepare()
    const begin = performance.now()
    await requireDone(shelf(['update', folder]))
    const usualMs = performance.now() - begin
    const needed = store.sent
    const result: KilledUpdates = { kills: 0, broken: 0, share: 0 }
    let sent = 0

    async function prepare(): Promise<void> {
      await rm(folder, { recursive: true, force: true })
      await cp(installed, folder, { recursive: true, preserveTimestamps: true })
      store.sent = 0
    }

    async function isWhole(): Promise<boolean> {
      const child = shelf(['verify', folder, '--json'], { SHELF_SERVER: 'http://127.0.0.1:1' })
      const [out, code] = [await child.stdout.text(), await child.exited]
      const name = await Bun.file(join(folder, 'name')).text()
      return code === 0 && out.includes(`"version":"${name === 'new' ? '2' : '1.0.0'}"`)
    }

    for (; result.kills < count; result.kills += 1) {
      await prepare()
      const child = shelf(['update', folder])
      await Bun.sleep(Math.random() * usualMs)
      child.kill('SIGKILL')
      await child.exited
      if (!(await isWhole())) result.broken += 1
      await requireDone(shelf(['update', folder]))
      sent += store.sent
    }
    return { ...result, share: sent / (needed * count) }
  } finally {
    await store.stop()
  }
}

async function requireDone(child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>): Promise<void> {
  const [err, code] = [await child.stderr.text(), await child.exited]
  if (code !== 0) throw new Error(`shelf ended with ${code}: ${err}`)
}
