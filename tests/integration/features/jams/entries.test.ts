import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { openDatabase } from '../../../../src/db/client.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { jamMembers, jams } from '../../../../src/db/schema/jams.ts'
import { ENTRY_FAULTS } from '../../../../src/domain/jams/entries.ts'
import type { Entries } from '../../../../src/features/jams/entries/model.ts'
import { insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import {
  endAndPin,
  endJam,
  entryPath,
  inMinutes,
  insertFit,
  insertRunning,
  putEntry,
  readState,
  submit,
} from '../../../helpers/jams/entries.ts'
import { editJam, insertHost, type JamRow, moveJam } from '../../../helpers/jams/jams.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertAdmin, insertCover, insertGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { releaseWeb } from '../../../helpers/play.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const other = usePerson(server)

const list = async (jam: JamRow, query = '', headers: Record<string, string> = {}) =>
  await readData<Entries>(await server.fetch(`/api/v1/public/jams/${jam.slug}/entries${query}`, { headers }))
const names = async (jam: JamRow, query = '', headers = {}) =>
  (await list(jam, query, headers)).items.map(({ game }) => game.name)

describe('a listing that does not fit', () => {
  const missingOf = async (jam: JamRow, game: { uid: string }) => {
    const failure = await readFailure<{ missing: string[] }>(await putEntry(owner, jam, game))
    expect(failure).toMatchObject({ status: 422, code: 4236 })
    expect((await readState(owner, jam, game)).missing).toEqual(failure.data.missing as never)
    return failure.data.missing
  }

  test('is told everything that is missing at once', async () => {
    const jam = await insertRunning(server, {
      types: ['application'],
      platforms: ['macos'],
      webRequired: true,
      madeDuring: true,
      startsAt: inMinutes(-60),
    })
    const game = await insertGame(server, owner, { tagline: '', createdAt: inMinutes(-120) })
    expect(await missingOf(jam, game)).toEqual([...ENTRY_FAULTS])
  })

  test('is told each thing alone', async () => {
    const plain = await insertRunning(server)
    const bare = await insertGame(server, owner)
    await insertCover(server, bare.uid)
    expect(await missingOf(plain, bare)).toEqual(['build'])
    // Scanning is not clean, and beta is not stable.
    const scanning = await insertBuild(server, bare.uid)
    await insertFile(server, scanning, { scan: 'scanning' })
    await pointChannel(server, scanning)
    expect(await missingOf(plain, bare)).toEqual(['build'])

    const game = await insertFit(server, owner)
    const cases = [
      [{ types: ['mod'] }, 'type'],
      [{ platforms: ['windows'] }, 'platform'],
      [{ webRequired: true }, 'web'],
      [{ madeDuring: true, startsAt: inMinutes(-1) }, 'made_during'],
    ] as const
    await server.deps.db
      .update(games)
      .set({ createdAt: inMinutes(-10) })
      .where(eq(games.uid, game.uid))
    for (const [rules, fault] of cases) {
      const jam = await insertRunning(server, rules as object)
      expect(await missingOf(jam, game)).toEqual([fault])
    }
    const uncovered = await insertGame(server, owner, { visibility: 'public' })
    await releaseWeb(server, uncovered.uid)
    expect(await missingOf(plain, uncovered)).toEqual(['cover'])
    await insertCover(server, uncovered.uid)
    await server.deps.db.update(games).set({ tagline: ' ' }).where(eq(games.uid, uncovered.uid))
    expect(await missingOf(plain, uncovered)).toEqual(['tagline'])
  })
})

describe('an entry', () => {
  test('is made, changed, withdrawn and made again until the end', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    const first = await submit(owner, jam, game, { note: 'Press space.' })
    expect(first).toMatchObject({
      jam: { slug: jam.slug },
      game_uid: game.uid,
      entered: true,
      note: 'Press space.',
      late: false,
      missing: [],
      open: true,
      files: [],
    })
    const changed = await submit(owner, jam, game, { note: 'Press enter.' })
    expect(changed).toEqual({ ...first, note: 'Press enter.' })
    // What was read can be sent back.
    expect(await submit(owner, jam, game, changed)).toEqual(changed)
    expect((await owner.json('DELETE', entryPath(jam, game))).status).toBe(200)
    expect((await owner.json('DELETE', entryPath(jam, game))).status).toBe(404)
    expect(await readState(owner, jam, game)).toMatchObject({ entered: false, note: '' })
    expect(await names(jam)).toEqual([])
    expect(await submit(owner, jam, game)).toMatchObject({ entered: true, note: '' })
    await endJam(server, jam)
    expect(await readFailure(await putEntry(owner, jam, game, { note: 'Too late' }))).toMatchObject({
      status: 409,
      code: 4121,
      data: { state: 'voting' },
    })
    expect((await readState(owner, jam, game)).note).toBe('')
    expect((await owner.json('DELETE', entryPath(jam, game))).status).toBe(200)
  })

  test('is for owner and admins only, by uid or name', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    const admin = await signUp(server)
    await insertAdmin(server, game.uid, admin, 'accepted')
    const named = { uid: game.vanityName }
    expect((await putEntry(other, jam, game)).status).toBe(403)
    expect((await putEntry(other, jam, await insertGame(server, owner))).status).toBe(404)
    expect((await other.fetch(entryPath(jam, game))).status).toBe(403)
    expect((await putEntry(admin, jam, named)).status).toBe(200)
    expect((await other.json('DELETE', entryPath(jam, game))).status).toBe(403)
    expect((await readState(owner, jam, game)).entered).toBe(true)
    const guest = await server.fetch(entryPath(jam, game), { method: 'PUT', body: '{}' })
    expect(guest.status).toBe(401)
  })

  test('is refused outside its time, in a draft and in no jam', async () => {
    const game = await insertFit(server, owner)
    const coming = await insertRunning(server, { startsAt: inMinutes(10) })
    expect(await readFailure(await putEntry(owner, coming, game))).toMatchObject({
      status: 409,
      code: 4121,
      data: {
        state: 'coming',
        opens_at: coming.startsAt.toISOString(),
        closes_at: coming.endsAt.toISOString(),
      },
    })
    const past = await insertRunning(server, { endsAt: inMinutes(-10), votingEndsAt: inMinutes(-5) })
    expect(await readFailure(await putEntry(owner, past, game))).toMatchObject({
      code: 4121,
      data: { state: 'past' },
    })
    const draft = await insertRunning(server, { visibility: 'draft' })
    expect((await putEntry(owner, draft, game)).status).toBe(404)
    expect((await putEntry(owner, { ...draft, slug: 'no-such-jam' }, game)).status).toBe(404)
  })

  test('has a note of at most 1,000 characters', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    const note = '🦊'.repeat(1000)
    expect((await submit(owner, jam, game, { note })).note).toBe(note)
    expect(await readFailure(await putEntry(owner, jam, game, { note: `${note}!` }))).toMatchObject({
      status: 400,
      code: 4000,
    })
  })

  test('counts against the entries of whoever makes it, also at the same moment', async () => {
    const jam = await insertRunning(server, { entriesPerPerson: 2 })
    const made = await Promise.all(Array.from({ length: 4 }, () => insertFit(server, owner)))
    const answers = await Promise.all(made.map((game) => putEntry(owner, jam, game)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
    const refused = answers.find(({ status }) => status === 409)
    expect(refused && (await readFailure(refused))).toMatchObject({ code: 4090 })
    const entered = made.filter((_, index) => answers[index]?.status === 200)
    const [gone] = entered
    const more = made.find((game) => !entered.includes(game))
    await owner.json('DELETE', entryPath(jam, gone ?? { uid: '' }))
    expect((await putEntry(owner, jam, more ?? { uid: '' })).status).toBe(200)
  })

  test('joins an open jam, and an invited one has to be joined before', async () => {
    const [open, invited] = [await insertRunning(server), await insertRunning(server, { entry: 'invited' })]
    const game = await insertFit(server, owner)
    await submit(owner, open, game)
    expect(await server.deps.db.$count(jamMembers, eq(jamMembers.jamUid, open.uid))).toBe(1)
    expect(await readFailure(await putEntry(owner, invited, game))).toMatchObject({ status: 403, code: 4030 })
    await server.deps.db.insert(jamMembers).values({ jamUid: invited.uid, userUid: owner.uid })
    await submit(owner, invited, game)
  })
})

/** Until something waits for a lock that this test holds. */
async function waitForLock(): Promise<void> {
  await waitFor('the entry waits', async () => {
    const rows = await server.deps.db.execute(
      sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length > 0
  })
}

describe('the deadline', () => {
  test('is the moment at which a request arrived, however long it takes', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    const late = await insertFit(server, other)
    await using cleanup = new AsyncDisposableStack()
    const database = openDatabase(server.databaseUrl)
    cleanup.defer(() => database.dispose())
    const { held, waiting } = await database.db.transaction(async (tx) => {
      await tx.select().from(jams).where(eq(jams.uid, jam.uid)).for('update')
      const begun = putEntry(owner, jam, game)
      await waitForLock()
      await tx
        .update(jams)
        .set({ endsAt: sql`clock_timestamp()` })
        .where(eq(jams.uid, jam.uid))
      return { held: begun, waiting: putEntry(other, jam, late) }
    })
    expect((await held).status).toBe(200)
    expect(await readFailure(await waiting)).toMatchObject({ status: 409, code: 4121 })
    const { submitted_at, closes_at } = await readState(owner, jam, game)
    expect(Date.parse(submitted_at ?? '')).toBeLessThan(Date.parse(closes_at))
  })

  test('moves with the jam, also for entries that wait for the host who moves it', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    await using cleanup = new AsyncDisposableStack()
    const database = openDatabase(server.databaseUrl)
    cleanup.defer(() => database.dispose())
    await endJam(server, jam)
    // What the host began before the end is committed after it.
    const waiting = await database.db.transaction(async (tx) => {
      await tx
        .update(jams)
        .set({ endsAt: inMinutes(60) })
        .where(eq(jams.uid, jam.uid))
      const begun = putEntry(owner, jam, game)
      await waitForLock()
      return { begun }
    })
    expect((await waiting.begun).status).toBe(200)
    expect(await readState(owner, jam, game)).toMatchObject({ entered: true, open: true })
  })

  test('is told to everyone who enters while it moves', async () => {
    const jam = await insertRunning(server)
    const host = await signUp(server)
    await insertHost(server, jam, host)
    const teams = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const person = await signUp(server)
        return { person, game: await insertFit(server, person) }
      }),
    )
    const endsAt = inMinutes(24 * 60 * 5)
    const [moved, ...entered] = await Promise.all([
      editJam(host, jam, { ends_at: endsAt.toISOString() }),
      ...teams.map(({ person, game }) => putEntry(person, jam, game)),
    ])
    expect(moved?.status).toBe(200)
    expect(entered.map(({ status }) => status)).toEqual(teams.map(() => 200))
    for (const { person, game } of teams)
      expect(await readState(person, jam, game)).toMatchObject({
        entered: true,
        closes_at: endsAt.toISOString(),
      })
  })
})

describe('a late link', () => {
  const createLink = async (jam: JamRow) => {
    const host = await signUp(server)
    await insertHost(server, jam, host)
    const answer = await host.json('POST', `/api/v1/private/jams/${jam.slug}/manage/late-links`, {})
    expect(answer.status).toBe(201)
    return (await readData<{ code: string }>(answer)).code
  }

  test('admits one entry of one person after the end, and is listed under the changes', async () => {
    const jam = await insertRunning(server)
    const [game, second] = [await insertFit(server, owner), await insertFit(server, other)]
    await endAndPin(server, jam)
    const code = await createLink(jam)
    expect(await readFailure(await putEntry(owner, jam, game, { code: 'wrong' }))).toMatchObject({
      status: 404,
      code: 4119,
    })
    const state = await submit(owner, jam, game, { note: 'Sorry', code })
    expect(state).toMatchObject({ entered: true, late: true, open: false })
    // Its version is fixed at once.
    expect(state.files).toHaveLength(1)
    expect(await submit(owner, jam, game, { note: 'Sorry', code })).toEqual(state)
    expect((await putEntry(owner, jam, game, { note: 'Another', code })).status).toBe(409)
    expect((await putEntry(other, jam, second, { code })).status).toBe(404)
    expect((await putEntry(other, jam, second)).status).toBe(409)
    const shown = await readData<{ changes: { text: string }[] }>(
      await server.fetch(`/api/v1/public/jams/${jam.slug}`),
    )
    expect(shown.changes.map(({ text }) => text)).toContain(`${game.name} was entered with a late link.`)
  })

  test('is for voters too: it ends with the voting', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    await endJam(server, jam)
    const code = await createLink(jam)
    await moveJam(server, jam, { endsAt: inMinutes(-20), votingEndsAt: inMinutes(-10) })
    expect((await putEntry(owner, jam, game, { code })).status).toBe(409)
  })
})

describe('the list of entries', () => {
  test('shows public listings at once and drafts from the end on, never what was taken down', async () => {
    const jam = await insertRunning(server, { entriesPerPerson: 5 })
    const open = await insertFit(server, owner, { name: 'Open' })
    const draft = await insertFit(server, owner, { name: 'Draft', visibility: 'draft' })
    const adult = await insertFit(server, owner, { name: 'Adult', adult: true })
    for (const game of [open, draft, adult]) await submit(owner, jam, game)
    expect(await names(jam)).toEqual(['Open'])
    await endAndPin(server, jam)
    expect((await names(jam)).toSorted()).toEqual(['Draft', 'Open'])
    const { items } = await list(jam, '?q=draft')
    expect(items).toMatchObject([
      { game: { uid: draft.uid }, build: { version: '1.0.0' }, files: [{ os: 'linux' }] },
    ])
    await server.deps.db
      .update(games)
      .set({ visibility: 'owner', takenDown: { at: '', reason: 'No', visibility: 'draft' } })
      .where(eq(games.uid, draft.uid))
    expect(await names(jam)).toEqual(['Open'])
  })

  test('is searched, narrowed, sorted and paged', async () => {
    const jam = await insertRunning(server, { entriesPerPerson: 5 })
    const web = await insertFit(server, owner, { name: 'Alpha owl', tagline: 'Fly at night' })
    await releaseWeb(server, web.uid)
    const linux = await insertFit(server, owner, { name: 'Beta bat' })
    const third = await insertFit(server, owner, { name: 'Gamma fox' })
    for (const game of [web, linux, third]) await submit(owner, jam, game, { note: `About ${game.name}` })
    expect(await names(jam)).toEqual(['Gamma fox', 'Beta bat', 'Alpha owl'])
    expect(await names(jam, '?sort=nonsense&limit=2&offset=1')).toEqual(['Beta bat', 'Alpha owl'])
    expect(await list(jam, '?limit=1')).toMatchObject({ total: 3, limit: 1, offset: 0 })
    for (const isPinned of [false, true]) {
      if (isPinned) await endAndPin(server, jam)
      expect(await names(jam, '?os=web')).toEqual(['Alpha owl'])
      expect(await names(jam, '?q=NIGHT%20fly')).toEqual(['Alpha owl'])
      expect(await names(jam, '?q=about%20bat')).toEqual(['Beta bat'])
      expect(await names(jam, "?q=%25'")).toEqual([])
      expect(await names(jam, '?os=ios')).toEqual([])
    }
    await server.deps.db.execute(sql`update jam_entries set received = 3 where game_uid = ${linux.uid}`)
    expect((await names(jam, '?sort=most_rated'))[0]).toBe('Beta bat')
    expect((await names(jam, '?sort=least_rated'))[2]).toBe('Beta bat')
  })

  test('has a random order that stays the same for one visitor all day, and differs between visitors', async () => {
    const jam = await insertRunning(server, { entriesPerPerson: 5 })
    const people = await Promise.all([signUp(server), signUp(server)])
    for (const person of people) {
      for (let at = 0; at < 5; at += 1) await submit(person, jam, await insertFit(server, person))
    }
    const orderFor = (agent: string) => names(jam, '?sort=random', { 'user-agent': agent })
    const first = await orderFor('One')
    expect(await orderFor('One')).toEqual(first)
    expect(first).toHaveLength(10)
    const others = await Promise.all(['Two', 'Three', 'Four'].map(orderFor))
    expect(others.some((order) => order.join() !== first.join())).toBe(true)
  })
})
