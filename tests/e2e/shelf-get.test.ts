import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'

import { games } from '../../src/db/schema/games/games.ts'
import { readPush, type ShelfWorld, startShelfWorld, writeRandomFiles } from '../helpers/cli/shelf.ts'
import type { Pipeline } from '../helpers/uploads/uploads.ts'
import { waitFor } from '../helpers/wait.ts'

const MIB = 1024 ** 2
const PLATFORM = ['--os', 'linux', '--arch', 'x86_64']

let world: ShelfWorld
let pipeline: Pipeline
beforeAll(async () => {
  world = await startShelfWorld()
  pipeline = await world.createGame()
  await world.server.deps.db
    .update(games)
    .set({ visibility: 'public', anonymousDownloads: true })
    .where(eq(games.uid, pipeline.game.uid))
})
afterAll(async () => await world.stop())

test('the binaries: what is pushed is installed, also when the store is gone in the middle', async () => {
  const source = await world.folder('source')
  await writeRandomFiles(source, { 'data.pck': 24 * MIB })
  const push = ['push', source, ...PLATFORM, '--version', '1.0.0', '--json', '--wait']
  expect(await readPush(world.shelf(pipeline, push))).toMatchObject([{ scan: 'clean' }])

  const folder = join(await world.folder('games'), 'game')
  const get = ['get', pipeline.game.uid, '--into', folder, ...PLATFORM, '--json', '--limit-rate', '6MB']
  const running = world.shelf(pipeline, get)
  const staged = join(folder, '.shelf/next/files')
  await waitFor('the first bytes are written', async () => (await readdir(staged).catch(() => [])).length > 0)
  await world.killStore()
  // The pauses grow: the third is told of after some seconds.
  await waitFor('it tries again', () => (running.notes().match(/Trying again in/g)?.length ?? 0) >= 3, 60_000)
  expect(running.notes()).toContain(`${world.url} cannot be reached`)
  await world.startStore()
  const { code, out, err } = await running.result
  expect([code, err]).toEqual([0, expect.any(String)])
  // What was on the way when it died: a request of each connection.
  expect(JSON.parse(out).fetched_bytes).toBeWithin(24 * MIB, 26 * MIB)
  const [given, installed] = [source, folder].map((path) => Bun.file(join(path, 'data.pck')).bytes())
  expect(Buffer.compare((await given) ?? Buffer.alloc(0), (await installed) ?? Buffer.alloc(1))).toBe(0)
})
