import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../../../src/db/schema/builds.ts'
import type { JobRunner } from '../../../../../src/jobs/runner.ts'
import { type BuildRow, insertBuild } from '../../../../helpers/builds.ts'
import { EICAR, makeZip } from '../../../../helpers/files/zips.ts'
import { insertPublicGame } from '../../../../helpers/listings.ts'
import { signUp } from '../../../../helpers/people.ts'
import { findFile, runScanNow, scanZip, startJobs, storeFile } from '../../../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import { waitFor } from '../../../../helpers/wait.ts'

let server: TestServer
let runner: JobRunner
let build: BuildRow
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  runner = await startJobs(server)
})
afterAll(async () => {
  await runner.stop()
  await server.stop()
})

const CLEAN = makeZip([{ name: 'a.txt', data: 'hello' }])
const INFECTED = makeZip([{ name: 'a.txt', data: EICAR }])
const DAMAGED = Buffer.from('not a zip')

async function newBuild(): Promise<BuildRow> {
  const game = await insertPublicGame(server, await signUp(server))
  return (build = await insertBuild(server, game.uid))
}

async function statesOf(buildUid: string): Promise<string[]> {
  const rows = await server.deps.db
    .select()
    .from(files)
    .where(eq(files.buildUid, buildUid))
    .orderBy(files.uid)
  return rows.map(({ filename, scan }) => `${filename} ${scan}`)
}

const run = (fileUid: string) => runScanNow(server, fileUid)

describe('a second upload with the same filename', () => {
  test('replaces the first once clean: a new file_uid, the old object removed', async () => {
    await newBuild()
    const first = await scanZip(server, build, CLEAN)
    const waiting = await storeFile(server, build, CLEAN)
    expect(await findFile(server, first.uid)).toMatchObject({ scan: 'clean' })
    await run(waiting.uid)
    expect(await findFile(server, first.uid)).toBeUndefined()
    expect(await statesOf(build.uid)).toEqual(['game.zip clean'])
    await waitFor('the old object is removed', async () => !(await server.deps.objects.head(first.objectKey)))
    expect(await server.deps.objects.head(waiting.objectKey)).not.toBeNull()
  })

  test.each([
    ['infected', INFECTED],
    ['error', DAMAGED],
  ])('leaves the first in place when it ends as %s', async (state, zip) => {
    await newBuild()
    const first = await scanZip(server, build, CLEAN)
    await scanZip(server, build, zip)
    expect(await statesOf(build.uid)).toEqual(['game.zip clean', `game.zip ${state}`])
    expect(await server.deps.objects.head(first.objectKey)).not.toBeNull()
  })

  test('takes the place of one that failed', async () => {
    await newBuild()
    await scanZip(server, build, INFECTED)
    await scanZip(server, build, CLEAN)
    expect(await statesOf(build.uid)).toEqual(['game.zip clean'])
  })

  test('wins over an earlier one whose scan takes longer', async () => {
    await newBuild()
    const earlier = await storeFile(server, build, CLEAN)
    const later = await storeFile(server, build, CLEAN)
    await run(later.uid)
    await run(earlier.uid)
    expect(await findFile(server, earlier.uid)).toBeUndefined()
    expect(await findFile(server, later.uid)).toMatchObject({ scan: 'clean' })
  })

  test('wins whichever scan ends first, or both at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      await newBuild()
      const earlier = await storeFile(server, build, CLEAN)
      const later = await storeFile(server, build, CLEAN)
      await Promise.all([run(earlier.uid), run(later.uid)])
      expect(await findFile(server, earlier.uid)).toBeUndefined()
      expect(await findFile(server, later.uid)).toMatchObject({ scan: 'clean' })
    }
  })

  test('leaves other names, and the same name in other builds, alone', async () => {
    await newBuild()
    const other = await insertBuild(server, build.gameUid, { version: '0.9' })
    await scanZip(server, build, CLEAN, { filename: 'data.zip' })
    await scanZip(server, other, CLEAN)
    await scanZip(server, build, CLEAN)
    expect(await statesOf(build.uid)).toEqual(['data.zip clean', 'game.zip clean'])
    expect(await statesOf(other.uid)).toEqual(['game.zip clean'])
  })
})

describe('a file that is deleted while it is scanned', () => {
  test('is skipped', async () => {
    await newBuild()
    const file = await storeFile(server, build, CLEAN)
    const { db, objects } = server.deps
    const deleting: typeof objects = {
      ...objects,
      async get(key, range) {
        await db.delete(files).where(eq(files.uid, file.uid))
        return await objects.get(key, range)
      },
    }
    await runScanNow(server, file.uid, { deps: { objects: deleting } })
    expect(await statesOf(build.uid)).toEqual([])
  })
})
