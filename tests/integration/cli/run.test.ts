import { afterEach, beforeEach, expect, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { encodeContents } from '../../../src/lib/zip/contents.ts'
import { type InstallStore, startInstallStore } from '../../helpers/cli/install-store.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'

const PROGRAM = 0o100_755
const exitWith = (code: number) => Buffer.from(`#!/bin/sh\nexit ${code}\n`)

let store: InstallStore
let player: PlayerMachine
beforeEach(async () => {
  store = await startInstallStore()
  player = await createPlayerMachine(store.url)
})
afterEach(async () => {
  await store.stop()
  await player.remove()
})

/** With these files as programs. */
async function offer(contents: Record<string, Uint8Array>, programs: readonly string[], version = '1') {
  const build = await store.offer(contents, version)
  const entries = build.entries.map((entry) =>
    programs.includes(entry.path) ? { ...entry, mode: PROGRAM } : entry,
  )
  build.document = (await encodeContents(entries, build.zip.length))?.document ?? Buffer.alloc(0)
}
const get = async () => requireDone(await player.shelf(['get', 'moss-garden', '--json']))
const run = (...more: string[]) => player.shelf(['run', 'moss-garden', ...more])

test('the only program at the top is started; files have the executable bits of the zip', async () => {
  await offer({ game: exitWith(4), 'lib/tool': exitWith(5), readme: Buffer.from('text') }, [
    'game',
    'lib/tool',
  ])
  await get()
  const isProgram = async (path: string) =>
    ((await stat(join(player.home, 'Games/moss-garden', path))).mode & 0o111) !== 0
  expect(await Promise.all(['game', 'lib/tool', 'readme'].map(isProgram))).toEqual([true, true, false])
  expect((await run()).code).toBe(4)
})

test('of several programs the player chooses one, which is remembered, after an update too', async () => {
  const programs = ['game', 'server']
  await offer({ game: exitWith(4), server: exitWith(5) }, programs)
  await get()
  const asked = await run()
  expect(asked.code).toBe(2)
  expect(asked.err).toContain('Choose one of the folder with --exe')
  for (const name of programs) expect(asked.err).toContain(name)
  expect((await run('--exe', 'server')).code).toBe(5)
  expect((await run()).code).toBe(5)
  await offer({ game: exitWith(4), server: exitWith(6) }, programs, '2')
  requireDone(await player.shelf(['update', '--json']))
  expect((await run()).code).toBe(6)
  expect((await run('--exe', 'missing')).code).toBe(7)
  expect((await run('--exe', '../outside')).code).toBe(2)
})
