import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import {
  channelMoves,
  channelPointers,
  fileEntries,
  scanEvents,
} from '../../../../../src/db/schema/builds.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { type BuildRow, insertBuild } from '../../../../helpers/builds.ts'
import { EICAR, makeZip } from '../../../../helpers/files/zips.ts'
import { insertPublicGame } from '../../../../helpers/listings.ts'
import { readMails, waitForMail } from '../../../../helpers/mails.ts'
import { signUp } from '../../../../helpers/people.ts'
import { findFile, runScanNow, scanZip, storeFile } from '../../../../helpers/scans.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const owner = usePerson(server)

const CLEAN = makeZip([
  { name: 'game/', method: 0 },
  { name: 'game/start.sh', data: 'echo hello' },
  { name: 'game/data.pck', data: Buffer.alloc(1_000_000, 'data') },
])
const INFECTED = makeZip([{ name: 'a/b/c/readme.txt', data: EICAR }])
const DAMAGED = makeZip([{ name: 'a.txt', data: 'hello', crc: 1 }])

async function newBuild(values: Parameters<typeof insertBuild>[2] = {}): Promise<BuildRow> {
  const game = await insertPublicGame(server, owner)
  return await insertBuild(server, game.uid, values)
}

async function historyOf(fileUid: string) {
  const rows = await server.deps.db
    .select()
    .from(scanEvents)
    .where(eq(scanEvents.fileUid, fileUid))
    .orderBy(scanEvents.uid)
  return rows.map(({ state, engine, detail }) => ({ state, engine, detail }))
}

const entriesOf = (fileUid: string) =>
  server.deps.db
    .select({ path: fileEntries.path, size: fileEntries.size, sha256: fileEntries.sha256 })
    .from(fileEntries)
    .where(eq(fileEntries.fileUid, fileUid))
    .orderBy(fileEntries.path)

const pointersOf = ({ gameUid }: BuildRow) =>
  server.deps.db.select().from(channelPointers).where(eq(channelPointers.gameUid, gameUid))

const isStored = async (objectKey: string) => (await server.deps.objects.head(objectKey)) !== null

const run = (fileUid: string, attempt?: number) =>
  runScanNow(server, fileUid, attempt === undefined ? {} : { attempt })

const STATES = [
  { when: 'no threat', zip: CLEAN, state: 'clean', detail: null, stays: true, moves: true },
  {
    when: 'a threat is found',
    zip: INFECTED,
    state: 'infected',
    detail: '"a/b/c/readme.txt": EICAR test file',
    stays: false,
    moves: false,
  },
  {
    when: 'the scan fails',
    zip: DAMAGED,
    state: 'error',
    detail: '"a.txt" is damaged: its checksum does not fit.',
    stays: false,
    moves: false,
  },
] as const

describe('a scanning file, when the scan finishes', () => {
  test.each(STATES)('and $when, is $state', async ({ zip, state, detail, stays, moves }) => {
    const build = await newBuild()
    const file = await scanZip(server, build, zip, { source: 'deploy_key', keyLast4: 'abcd' })
    expect(file).toMatchObject({ scan: state, scanDetail: detail })
    expect(file.scanEngine).toContain('no antivirus')
    expect(file.scannedAt).toBeInstanceOf(Date)
    expect(await historyOf(file.uid)).toEqual([
      { state: 'scanning', engine: null, detail: null },
      { state, engine: file.scanEngine, detail },
    ])
    expect(await pointersOf(build)).toHaveLength(moves ? 1 : 0)
    expect((await entriesOf(file.uid)).length > 0).toBe(stays)
    if (!stays) await waitFor('the object is removed', async () => !(await isStored(file.objectKey)))
    else expect(await isStored(file.objectKey)).toBe(true)
  })

  test('as clean: every file inside is recorded with size and SHA-256, folders are not', async () => {
    const file = await scanZip(server, await newBuild(), CLEAN)
    expect(await entriesOf(file.uid)).toEqual([
      { path: 'game/data.pck', size: 1_000_000, sha256: sha256Hex(Buffer.alloc(1_000_000, 'data')) },
      { path: 'game/start.sh', size: 10, sha256: sha256Hex('echo hello') },
    ])
  })

  test.each([
    ['a deploy key', { source: 'deploy_key', keyLast4: 'wxyz' } as const, 'deploy key …wxyz'],
    ['the website', { source: 'website' } as const, 'website'],
  ])('as clean: the channel tells that %s moved it', async (_, values, movedBy) => {
    const build = await newBuild({ channel: 'beta' })
    await scanZip(server, build, CLEAN, values)
    const [move] = await server.deps.db
      .select()
      .from(channelMoves)
      .where(eq(channelMoves.gameUid, build.gameUid))
    expect(move).toMatchObject({ channel: 'beta', kind: 'upload', toBuildUid: build.uid, movedBy })
  })

  test('as clean: the channel stays where it is if the build is older', async () => {
    const newer = await newBuild({ version: '2.0' })
    await scanZip(server, newer, CLEAN)
    const older = await insertBuild(server, newer.gameUid, { version: '1.9' })
    await scanZip(server, older, CLEAN)
    expect(await pointersOf(newer)).toMatchObject([{ buildUid: newer.uid }])
  })

  test.each([
    ['infected', INFECTED, 'Scan: threat found in lantern.zip', '"a/b/c/readme.txt": EICAR test file'],
    ['error', DAMAGED, 'Scan: lantern.zip was rejected', '"a.txt" is damaged'],
  ])(
    'as %s: the owner gets a mail that says what was found and what to do',
    async (_, zip, subject, detail) => {
      const person = await signUp(server)
      const game = await insertPublicGame(server, person, { name: 'Lantern Keeper' })
      const build = await insertBuild(server, game.uid, { version: '1.4' })
      await scanZip(server, build, zip, { filename: 'lantern.zip' })
      const mail = await waitForMail(server, person.email, subject)
      expect(mail.text).toContain('lantern.zip (Lantern Keeper 1.4, linux x86_64)')
      expect(mail.text).toContain(detail)
      expect(mail.text).toContain('upload again')
      expect(mail.link).toBe(`${server.url}/studio/${game.vanityName}/builds`)
      expect(mail.html).toContain('>Your builds</a>')
    },
  )
})

describe('a scan', () => {
  test('that is run again, or twice at once, leaves one result', async () => {
    const person = await signUp(server)
    const game = await insertPublicGame(server, person)
    const build = await insertBuild(server, game.uid)
    for (const zip of [CLEAN, INFECTED]) {
      const file = await storeFile(server, build, zip, { filename: `${zip.length}.zip` })
      await Promise.all([run(file.uid), run(file.uid), run(file.uid)])
      const first = await findFile(server, file.uid)
      await run(file.uid)
      expect(await findFile(server, file.uid)).toEqual(first)
      expect(await historyOf(file.uid)).toHaveLength(2)
    }
    const subject = `Scan: threat found in ${INFECTED.length}.zip`
    await waitForMail(server, person.email, subject)
    const mails = (await readMails(server)).filter(
      (mail) => mail.to === person.email && mail.subject === subject,
    )
    expect(mails).toHaveLength(1)
    expect(await pointersOf(build)).toHaveLength(1)
  })

  test('of a file that is gone does nothing', async () => {
    await run(crypto.randomUUID())
  })

  test('of a file on the deny list, by its own hash or by that of a file inside, is infected', async () => {
    const list = `${server.dataDir}/denylist.txt`
    await Bun.write(list, `${sha256Hex('echo hello')}  start.sh\n`)
    const build = await newBuild()
    expect(await scanZip(server, build, CLEAN)).toMatchObject({
      scan: 'infected',
      scanDetail: '"game/start.sh": A file on the deny list of this service',
    })
    await Bun.write(list, `# whole zips too\n${sha256Hex(CLEAN)}\n`)
    expect(await scanZip(server, build, CLEAN)).toMatchObject({
      scan: 'infected',
      scanDetail: 'A file on the deny list of this service',
    })
    await Bun.file(list).delete()
    expect(await scanZip(server, build, CLEAN)).toMatchObject({ scan: 'clean' })
  })

  test('whose worker died too often ends as error', async () => {
    const file = await storeFile(server, await newBuild(), CLEAN)
    await run(file.uid, 25)
    expect(await findFile(server, file.uid)).toMatchObject({
      scan: 'error',
      scanDetail: 'The scan was interrupted several times. Upload the file again.',
    })
  })
})
