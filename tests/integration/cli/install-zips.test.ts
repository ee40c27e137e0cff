import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { InstallBuilds } from '../../../src/features/catalog/installs/model.ts'
import type { JobRunner } from '../../../src/jobs/runner.ts'
import { insertBuild } from '../../helpers/builds.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { ARCHIVERS, packWith } from '../../helpers/engines/archivers.ts'
import { packContents, randomBytes } from '../../helpers/files/packed-zip.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { scanZip, startJobs } from '../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { describeEachStorage } from '../../helpers/uploads/upload-storages.ts'
import { waitFor } from '../../helpers/wait.ts'

const KIB = 1024
const MIB = 1024 ** 2
const PLATFORM = ['--os', 'linux', '--arch', 'x86_64', '--json']

describeEachStorage('shelf get', (env) => {
  let server: TestServer
  let runner: JobRunner
  let owner: Person
  let player: PlayerMachine
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1', ...env() })
    runner = await startJobs(server)
    owner = await signUp(server)
    player = await createPlayerMachine(server.url)
  })
  afterAll(async () => {
    await runner.stop()
    await server.stop()
    await player.remove()
  })

  async function release(game: GameRow, version: string, zip: Buffer) {
    const file = await scanZip(server, await insertBuild(server, game.uid, { version }), zip)
    expect(file.scan).toBe('clean')
    return file
  }

  test.each(ARCHIVERS)('installs a zip of %s, and updates it by whole files', async (archiver) => {
    const game = await insertPublicGame(server, owner, { anonymousDownloads: true })
    const [data, level] = [
      Buffer.concat([randomBytes(6 * MIB), Buffer.alloc(6 * MIB)]),
      randomBytes(300 * KIB),
    ]
    const first = {
      'data/large.pck': data,
      'data/level.bin': level,
      readme: Buffer.from('one '.repeat(99)),
    }
    await release(game, '1.0.0', await packWith(archiver, first))
    const listed = await fetch(`${server.url}/api/v1/player/games/${game.uid}/builds`)
    const { builds } = await readData<InstallBuilds>(listed)
    expect(builds[0]?.files).toMatchObject([{ blocks: false, installed_size: 12 * MIB + 300 * KIB + 396 }])

    const folder = join(player.home, archiver)
    requireDone(await player.shelf(['get', game.uid, '--into', folder, ...PLATFORM]))
    expect(await player.read(folder)).toEqual(first)

    const update = async (next: Record<string, Buffer>, version: string) => {
      await release(game, version, await packWith(archiver, next))
      const { updates } = requireDone(await player.shelf(['update', folder, '--json'])) as {
        updates: { fetched_bytes: number }[]
      }
      expect(await player.read(folder)).toEqual(next)
      return updates[0]?.fetched_bytes ?? Infinity
    }
    const renamed = { 'large.pck': data, 'data/level.bin': level, readme: Buffer.from('two '.repeat(99)) }
    expect(await update(renamed, '1.1.0')).toBeLessThan(KIB)
    const changed = { ...renamed, 'large.pck': Buffer.concat([Buffer.from('new'), data]) }
    expect(await update(changed, '1.2.0')).toBeWithin(6 * MIB, 6.2 * MIB)
    expect((await player.shelf(['verify', folder])).code).toBe(0)
  })

  test('notices that a file was replaced while it is fetched, and installs it once it is right again', async () => {
    const game = await insertPublicGame(server, owner, { anonymousDownloads: true })
    const contents = { 'data.pck': randomBytes(24 * MIB) }
    const zip = await packContents(contents)
    const other = randomBytes(zip.length)
    const { objectKey } = await release(game, '1.0.0', zip)
    const folder = join(player.home, 'replaced')
    const args = ['get', game.uid, '--into', folder, ...PLATFORM]
    const child = player.start([...args, '--limit-rate', '2MB'])
    await waitFor('the first bytes are written', async () => {
      const names = await readdir(join(folder, '.shelf/next/files')).catch(() => [])
      return names.length > 0
    })
    await server.deps.objects.put(objectKey, other)
    const [out, code] = await Promise.all([child.stdout.text(), child.exited])
    expect([code, JSON.parse(out).error.message]).toEqual([
      8,
      expect.stringMatching(/was replaced on the server|sends other bytes/),
    ])
    expect(await player.read(folder)).toEqual({})
    await server.deps.objects.put(objectKey, zip)
    requireDone(await player.shelf(args))
    expect(await player.read(folder)).toEqual(contents)
  })
})
