import { beforeAll, describe, expect, test } from 'bun:test'

import type { ScanState } from '../../../../src/domain/builds/files.ts'
import type { Visibility } from '../../../../src/domain/listings/visibility.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type FileRow, insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertAdmin, insertLicense, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const CALLERS = ['stranger', 'licensed', 'beta player', 'invited', 'admin', 'owner'] as const
type Caller = (typeof CALLERS)[number]

const server = useStore({ TRUST_PROXY: '1' })
let people: Record<Caller, Person>
beforeAll(async () => {
  const signedUp = await Promise.all(CALLERS.map(async (caller) => [caller, await signUp(server)] as const))
  people = Object.fromEntries(signedUp) as Record<Caller, Person>
})

const pathOf = (gameRef: string, fileUid: string) =>
  `/api/v1/private/games/${gameRef}/files/${fileUid}/download`
const ask = (caller: Caller, file: FileRow) => people[caller].fetch(pathOf(file.gameUid, file.uid))

interface Setting {
  scan?: ScanState
  registered?: string
  shown?: string[]
  visibility?: Visibility
  priceCents?: number
}

async function makeFile(setting: Setting): Promise<FileRow> {
  const { visibility = 'public', priceCents = 0, registered = 'stable', scan = 'clean' } = setting
  const game = await insertPublicGame(server, people.owner, { visibility, priceCents })
  await insertAdmin(server, game.uid, people.admin, 'accepted')
  await insertAdmin(server, game.uid, people.invited, 'invited')
  await insertLicense(server, game.uid, people.licensed)
  await insertLicense(server, game.uid, people['beta player'], { beta: true })
  const build = await insertBuild(server, game.uid, { channel: registered })
  for (const channel of setting.shown ?? [registered]) await pointChannel(server, build, channel)
  return await insertFile(server, build, { scan })
}

/** The code of a refusal, or 200. */
async function outcomeOf(answer: Response): Promise<number> {
  return answer.status === 200 ? 200 : (await readFailure(answer)).code
}

const STATUS: Record<number, number> = { 4023: 402, 4030: 403, 4040: 404, 4099: 409, 4010: 401 }

describe('signed-in downloads', () => {
  test('answer with the same link object', async () => {
    const file = await makeFile({})
    const answer = await ask('licensed', file)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await readData(answer)).toEqual({
      url: expect.stringContaining(file.objectKey),
      expires_at: expect.any(String),
      expires_in: 300,
      filename: file.filename,
      checksum: file.checksum,
      game_uid: file.gameUid,
    })
  })

  type Row = [name: string, setting: Setting, outcomes: Record<Caller, number>]
  const makers = (outcome: number) => ({ admin: outcome, owner: outcome })
  const players = (stranger: number, licensed: number, beta: number) => ({
    stranger,
    invited: stranger,
    licensed,
    'beta player': beta,
  })
  test.each<Row>([
    ['stable of a free game', {}, { ...players(4030, 200, 200), ...makers(200) }],
    ['stable of a paid game', { priceCents: 999 }, { ...players(4023, 200, 200), ...makers(200) }],
    [
      'stable of an invisible page',
      { visibility: 'invisible' },
      { ...players(4030, 200, 200), ...makers(200) },
    ],
    ['stable of a draft', { visibility: 'draft' }, { ...players(4040, 4040, 4040), ...makers(200) }],
    ["stable of an owner's page", { visibility: 'owner' }, { ...players(4040, 4040, 4040), ...makers(200) }],
    ['beta', { registered: 'beta' }, { ...players(4030, 4030, 200), ...makers(200) }],
    [
      'beta of a paid game',
      { registered: 'beta', priceCents: 999 },
      { ...players(4030, 4030, 200), ...makers(200) },
    ],
    ['dev', { registered: 'dev' }, { ...players(4040, 4040, 4040), ...makers(200) }],
    ['a custom channel', { registered: 'nightly' }, { ...players(4040, 4040, 4040), ...makers(200) }],
    [
      'dev promoted to beta',
      { registered: 'dev', shown: ['beta'] },
      { ...players(4030, 4030, 200), ...makers(200) },
    ],
    ['beta and stable', { shown: ['beta', 'stable'] }, { ...players(4030, 200, 200), ...makers(200) }],
    ['what no channel shows', { shown: [] }, { ...players(4040, 4040, 4040), ...makers(200) }],
    ['stable, scanning', { scan: 'scanning' }, { ...players(4030, 4099, 4099), ...makers(4099) }],
    [
      'stable, scanning, never shown',
      { scan: 'scanning', shown: [] },
      { ...players(4030, 4099, 4099), ...makers(4099) },
    ],
    [
      'beta, scanning',
      { scan: 'scanning', registered: 'beta' },
      { ...players(4030, 4030, 4099), ...makers(4099) },
    ],
    [
      'dev, scanning',
      { scan: 'scanning', registered: 'dev' },
      { ...players(4040, 4040, 4040), ...makers(4099) },
    ],
    ['infected', { scan: 'infected' }, { ...players(4040, 4040, 4040), ...makers(4040) }],
    ['failed to scan', { scan: 'error' }, { ...players(4040, 4040, 4040), ...makers(4040) }],
  ])('%s', async (_, setting, outcomes) => {
    const file = await makeFile(setting)
    const seen: Record<string, number> = {}
    for (const caller of CALLERS) {
      const answer = await ask(caller, file)
      seen[caller] = await outcomeOf(answer)
      expect(answer.status).toBe(STATUS[seen[caller]] ?? 200)
    }
    expect(seen).toEqual(outcomes)
  })

  test('tell who has no licence where to get one', async () => {
    const free = await makeFile({})
    expect(await readFailure(await ask('stranger', free))).toMatchObject({
      status: 403,
      code: 4030,
      data: { browse_url: expect.stringMatching(/\/games\/lighthouse-/) },
    })
    const paid = await makeFile({ priceCents: 999 })
    expect(await readFailure(await ask('stranger', paid))).toMatchObject({
      status: 402,
      code: 4023,
      data: { browse_url: expect.stringMatching(/\/games\/lighthouse-/), price_cents: 999 },
    })
  })

  test('of a beta tell each player the next step', async () => {
    const messageOf = async (caller: Caller, setting: Setting) =>
      (await readFailure(await ask(caller, await makeFile({ registered: 'beta', ...setting })))).message
    expect(await messageOf('licensed', {})).toMatch(/^Join the beta of Lighthouse \d+ first\.$/)
    expect(await messageOf('stranger', {})).toMatch(
      /Add Lighthouse \d+ to your library, then join the beta\.$/,
    )
    expect(await messageOf('stranger', { priceCents: 999 })).toMatch(
      /Buy Lighthouse \d+, then join the beta\.$/,
    )
  })

  test('need a session, and a file of that very listing', async () => {
    const [file, other] = [await makeFile({}), await makeFile({})]
    expect(await outcomeOf(await server.fetch(pathOf(file.gameUid, file.uid)))).toBe(4010)
    for (const path of [
      pathOf(other.gameUid, file.uid),
      pathOf(file.gameUid, createUid()),
      pathOf(file.gameUid, 'setup.exe'),
      pathOf(createUid(), file.uid),
    ]) {
      expect(await outcomeOf(await people.owner.fetch(path))).toBe(4040)
    }
  })
})
