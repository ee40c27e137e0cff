import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { JobRunner } from '../../../../../src/jobs/runner.ts'
import { type BuildRow, insertBuild } from '../../../../helpers/builds.ts'
import { isClamdInstalled, type RunningClamd, startClamd } from '../../../../helpers/engines/clamd.ts'
import { EICAR, makeZip } from '../../../../helpers/files/zips.ts'
import { insertPublicGame } from '../../../../helpers/listings.ts'
import { signUp } from '../../../../helpers/people.ts'
import { scanZip, startJobs } from '../../../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'

const LIMIT = 4 * 1024 ** 2

describe.skipIf(!isClamdInstalled() && process.env.REQUIRE_ENGINES !== '1')('with a real clamd', () => {
  let dir: string
  let clamd: RunningClamd
  let server: TestServer
  let runner: JobRunner
  let build: BuildRow
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'scans-clamd-'))
    clamd = await startClamd(dir, { settings: { StreamMaxLength: String(LIMIT) } })
    server = await startTestServer({ TRUST_PROXY: '1', SCANNER_URL: clamd.url })
    runner = await startJobs(server)
    const game = await insertPublicGame(server, await signUp(server))
    build = await insertBuild(server, game.uid)
  })
  afterAll(async () => {
    await runner.stop()
    await server.stop()
    await clamd.stop()
    await rm(dir, { recursive: true, force: true })
  })

  const inner = makeZip([{ name: 'deep/virus.com', data: EICAR }])
  const other = { name: 'readme.txt', data: 'hello' }
  const INFECTED: [what: string, zip: Buffer, path: string][] = [
    ['the EICAR test file', makeZip([other, { name: 'virus.com', data: EICAR }]), 'virus.com'],
    ['it in nested folders', makeZip([other, { name: 'a/b/c/virus.com', data: EICAR }]), 'a/b/c/virus.com'],
    [
      'it in a zip within the zip',
      makeZip([other, { name: 'mods/inner.zip', data: inner }]),
      'mods/inner.zip',
    ],
    [
      'it in a zip within a zip within the zip',
      makeZip([{ name: 'outer.zip', data: makeZip([{ name: 'inner.zip', data: inner }]) }]),
      'outer.zip',
    ],
  ]
  test.each(INFECTED)('%s is infected', async (_, zip, path) => {
    expect(await scanZip(server, build, zip)).toMatchObject({
      scan: 'infected',
      scanEngine: expect.stringMatching(/^ClamAV \d/),
      scanDetail: expect.stringMatching(new RegExp(`^"${path}": .*Eicar`)),
    })
  })

  test('other files are clean', async () => {
    const zip = makeZip([other, { name: 'empty' }, { name: 'folder/', method: 0 }])
    expect(await scanZip(server, build, zip)).toMatchObject({
      scan: 'clean',
      scanEngine: expect.stringMatching(/^ClamAV \d/),
    })
  })

  test('a file over its limit ends as error, with a word for the operator', async () => {
    const zip = makeZip([{ name: 'data.pck', data: Buffer.alloc(LIMIT * 3) }])
    const { scan, scanDetail } = await scanZip(server, build, zip)
    expect(scan).toBe('error')
    expect(scanDetail).toStartWith('"data.pck" could not be scanned.')
    expect(scanDetail).toContain('raise StreamMaxLength')
  })
})
