import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { JobRunner } from '../../../../src/jobs/runner.ts'
import { insertBuild } from '../../../helpers/builds.ts'
import { godot } from '../../../helpers/files/packages.ts'
import { makeZip } from '../../../helpers/files/zips.ts'
import { readData } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { scanZip, startJobs } from '../../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

let server: TestServer
let runner: JobRunner
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  runner = await startJobs(server)
  owner = await signUp(server)
})
afterAll(async () => {
  await runner.stop()
  await server.stop()
})

const LOOSE = makeZip([{ name: 'addons/kit/plugin.cfg', data: '[plugin]' }])
const WRAPPED = makeZip([
  ...['kit/', 'kit/addons/', 'kit/addons/kit/'].map((name) => ({ name, method: 0 })),
  { name: 'kit/addons/kit/plugin.cfg', data: '[plugin]' },
])

interface Report {
  ok: boolean
  warnings: { code: string; field: string; message: string }[]
}

interface Builds {
  items: { files: { scan: string; scan_detail: string | null }[] }[]
}

/** Uploads the zip as the stable build of a new listing. Returns what its owner is told. */
async function publish(zip: Buffer, values: Parameters<typeof insertPublicGame>[2]) {
  const game = await insertPublicGame(server, owner, { licenseKind: 'cc0', ...values })
  const build = await insertBuild(server, game.uid)
  await scanZip(server, build, zip)
  const path = `/api/v1/private/games/${game.uid}`
  const report = await readData<Report>(await owner.fetch(`${path}/lint`))
  const builds = await readData<Builds>(await owner.fetch(`${path}/builds`))
  const codes = report.warnings.map(({ code }) => code).filter((code) => code.startsWith('package_'))
  return { ok: report.ok, codes, file: builds.items[0]?.files[0] }
}

const PACKAGE = { assetType: 'dev_asset' as const, engineCompat: [godot('3.2', '4')] }

describe('the zip of a package', () => {
  test('warns its owner of what older editors would drop, and is published all the same', async () => {
    const { ok, codes, file } = await publish(LOOSE, PACKAGE)
    expect({ ok, codes }).toEqual({ ok: true, codes: ['package_no_wrapper', 'package_no_folder_entries'] })
    expect(file?.scan).toBe('clean')
    expect(file?.scan_detail).toContain('Put everything into one folder')
    expect(file?.scan_detail).toContain('zip -r')
  })

  test('is fine with one folder around everything and entries for all folders', async () => {
    const { codes, file } = await publish(WRAPPED, PACKAGE)
    expect(codes).toEqual([])
    expect(file).toMatchObject({ scan: 'clean', scan_detail: null })
  })

  test('is nobody’s business for a game, or for another engine', async () => {
    const game = await publish(LOOSE, { assetType: 'game' })
    expect(game.codes).toEqual([])
    expect(game.file?.scan_detail).toBeNull()
    const other = await publish(LOOSE, {
      assetType: 'dev_asset',
      engineCompat: [{ ...godot('1', '2'), engine: 'bevy' }],
    })
    expect(other.codes).toEqual([])
  })
})
