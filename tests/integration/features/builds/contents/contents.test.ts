import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { inflateRawSync } from 'node:zlib'

import { eq } from 'drizzle-orm'

import { fileEntries } from '../../../../../src/db/schema/builds.ts'
import { ensureContents, readContents } from '../../../../../src/features/builds/contents/service.ts'
import type { JobRunner } from '../../../../../src/jobs/runner.ts'
import { type FileRow, insertBuild } from '../../../../helpers/builds.ts'
import { makeZip } from '../../../../helpers/files/zips.ts'
import { insertPublicGame } from '../../../../helpers/listings.ts'
import { type Person, signUp } from '../../../../helpers/people.ts'
import { findFile, scanZip, startJobs } from '../../../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import { waitFor } from '../../../../helpers/wait.ts'

let server: TestServer
let runner: JobRunner
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  runner = await startJobs(server)
  owner = await signUp(server)
})
afterAll(async () => {
  await runner.stop()
  await server.stop()
})

const CONTENT: Readonly<Record<string, Buffer>> = {
  'game/index.html': Buffer.from('<!doctype html>'.repeat(50)),
  'game/data.pck': Buffer.alloc(300_000, 'data'),
  'game/empty.txt': Buffer.alloc(0),
}
const ZIP = makeZip([
  { name: 'game/', method: 0 },
  { name: 'game/index.html', data: CONTENT['game/index.html'] ?? '', mode: 0o100_755 },
  { name: 'game/data.pck', data: CONTENT['game/data.pck'] ?? '', method: 0, localExtra: Buffer.alloc(8) },
  { name: 'game/empty.txt', method: 0 },
])

async function scan(): Promise<FileRow> {
  const game = await insertPublicGame(server, owner)
  return await scanZip(server, await insertBuild(server, game.uid, { os: 'web', arch: 'wasm32' }), ZIP)
}

async function entriesOf(fileUid: string) {
  return (await Array.fromAsync(readContents(server.deps.db, fileUid))).flat()
}

/** The content of every entry, read by its place alone. */
async function unpackAll(fileUid: string): Promise<Record<string, Buffer>> {
  const entries = await entriesOf(fileUid)
  const unpacked = entries.map(({ path, dataAt, packed, method }) => {
    const bytes = ZIP.subarray(dataAt, dataAt + packed)
    return [path, method === 8 ? inflateRawSync(bytes) : bytes] as const
  })
  return Object.fromEntries(unpacked)
}

describe('the places of the entries of a zip', () => {
  test('are recorded by the scan', async () => {
    const file = await scan()
    expect(await ensureContents(server.deps.db, file)).toBe(true)
    expect(await unpackAll(file.uid)).toEqual(CONTENT)

    const html = (await entriesOf(file.uid)).find(({ path }) => path === 'game/index.html')

    expect(html).toMatchObject({ method: 8, mode: 0o100_755 })
    expect((await findFile(server, file.uid))?.entryPage).toBe('game/index.html')
  })

  test('of a file scanned earlier are recorded by a job on the first use', async () => {
    const file = await scan()
    const before = await entriesOf(file.uid)
    await server.deps.db
      .update(fileEntries)
      .set({ at: null, length: null, method: null, crc32: null, packed: null, dataAt: null, mode: null })
      .where(eq(fileEntries.fileUid, file.uid))
    expect(await entriesOf(file.uid)).toEqual([])
    expect(await ensureContents(server.deps.db, file)).toBe(false)
    await waitFor('the job', () => ensureContents(server.deps.db, file))
    expect(await entriesOf(file.uid)).toEqual(before)
  })
})
