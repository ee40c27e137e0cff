import { beforeAll, describe, expect, test } from 'bun:test'

import { eq, inArray, sql } from 'drizzle-orm'

import { saveRevisions, saveSets, saveSlots } from '../../../../src/db/schema/saves.ts'
import { NEWEST_KEPT } from '../../../../src/domain/saves.ts'
import { thinDueSaves } from '../../../../src/features/saves/clean-up/service.ts'
import {
  orphanedBefore,
  reclaim,
  removeOrphans,
  surveyObjects,
} from '../../../../src/features/storage/reclaim.ts'
import { DAY_MS } from '../../../../src/lib/time.ts'
import { readData } from '../../../helpers/json.ts'
import type { GameRow } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import {
  listObjects,
  newSaveGame,
  newSavePlayer,
  readConflict,
  type SaveCalls,
} from '../../../helpers/saves.ts'
import { useStore } from '../../../helpers/store.ts'
import { describeEachStorage } from '../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

const DAY = 24
const HOURS = 3_600_000

describeEachStorage('cleaning saves up', (env) => {
  const server = useStore(() => ({ TRUST_PROXY: '1', ROLE: 'all', ...env() }))
  let owner: Person
  let game: GameRow
  beforeAll(async () => {
    owner = await signUp(server)
    game = await newSaveGame(server, owner)
  })

  const { signal } = new AbortController()
  /** Moves a revision back in time. */
  const age = async (revision: string, hours: number) => {
    await server.deps.db
      .update(saveRevisions)
      .set({ createdAt: new Date(Date.now() - hours * HOURS) })
      .where(eq(saveRevisions.uid, revision))
  }
  const thin = async ({ uid }: Person) => {
    await server.deps.db
      .update(saveSets)
      .set({ thinAt: sql`now() - interval '1 second'` })
      .where(eq(saveSets.userUid, uid))
    await thinDueSaves(server.deps, signal)
  }
  const revisionsOf = async (saves: SaveCalls, slot = 'main') =>
    (await saves.history(slot, '?page_size=50')).items.map(({ revision }) => revision)
  const thinAtOf = async ({ uid }: Person) =>
    (await server.deps.db.select().from(saveSets).where(eq(saveSets.userUid, uid)))[0]?.thinAt ?? null

  test('the last day and the newest twenty stay, older ones one a day, none beyond a month', async () => {
    const { saves, person } = await newSavePlayer(server, game)
    const made: string[] = []
    for (let count = 0; count < NEWEST_KEPT + 10; count += 1)
      made.push((await saves.write('main', `${count}`, made.at(-1) ?? null)).revision)
    await thin(person)
    expect(await revisionsOf(saves)).toHaveLength(made.length)
    // Noon, so that hours before and after are of the same day.
    const noon = new Date().setUTCHours(12, 0, 0, 0)
    const hoursTo = (daysBack: number, hour = 0) => (Date.now() - noon) / HOURS + daysBack * DAY - hour
    const [a, b, c, d, e, f, g] = made as [string, string, string, string, string, string, string]
    await age(a, hoursTo(40))
    await age(b, hoursTo(31))
    await age(c, hoursTo(5, -2))
    await age(d, hoursTo(5, -1))
    await age(e, hoursTo(4, -2))
    await age(f, hoursTo(4, -1))
    await age(g, 23)
    await thin(person)
    const kept = await revisionsOf(saves)
    expect([a, b, c, d, e, f, g].filter((one) => kept.includes(one))).toEqual([d, f, g])
    expect(kept).toHaveLength(made.length - 4)
    expect((await saves.read('main', a)).status).toBe(404)
    expect(await saves.text('main', d)).toBe('3')
    // Ten of one digit and twenty of two, without four of one.
    expect((await saves.list()).quota.used).toBe(10 + 40 - 4)
    expect(await thinAtOf(person)).not.toBeNull()
  })

  test('the current one stays however old, and a slot with few revisions keeps them all', async () => {
    const { saves, person } = await newSavePlayer(server, game)
    const first = await saves.write('main', 'old', null)
    const second = await saves.write('main', 'older', first.revision)
    await age(first.revision, 400 * DAY)
    await age(second.revision, 399 * DAY)
    await thin(person)
    expect(await revisionsOf(saves)).toEqual([second.revision, first.revision])
    expect(await thinAtOf(person)).toBeNull()
  })

  test('refused ones stay for 30 days, and with the last one its slot ends', async () => {
    const { saves, person } = await newSavePlayer(server, game)
    const { yours_kept_as: young } = await readConflict(await saves.put('main', 'young', crypto.randomUUID()))
    const { yours_kept_as: old } = await readConflict(await saves.put('main', 'old', crypto.randomUUID()))
    await age(young, 29 * DAY)
    await age(old, 31 * DAY)
    await thin(person)
    expect(await revisionsOf(saves)).toEqual([young])
    await age(young, 31 * DAY)
    await thin(person)
    expect((await saves.call('/main/revisions')).status).toBe(404)
    expect((await saves.list()).quota.used).toBe(0)
  })

  test('the bin holds for 30 days, and restoring brings everything back', async () => {
    const { saves, person } = await newSavePlayer(server, game)
    const first = await saves.write('main', 'first', null)
    const second = await saves.write('main', 'second', first.revision)
    expect((await saves.remove('main')).status).toBe(200)
    expect((await saves.remove('main')).status).toBe(404)
    expect((await saves.read('main')).status).toBe(404)
    expect((await saves.list()).slots).toEqual([])
    const [binned] = (await saves.list('?bin=1')).slots
    expect(binned).toMatchObject({ slot: 'main', deleted_at: expect.any(String) })
    expect(await saves.text('main', first.revision)).toBe('first')
    const back = await readData<object>(await saves.restore('main'))
    expect(back).toMatchObject({ revision: second.revision })
    expect(await saves.text('main')).toBe('second')
    await saves.remove('main')
    await readData(await saves.restore('main', first.revision))
    expect(await saves.text('main')).toBe('first')
    await saves.remove('main')
    const objects = (await listObjects(server)).length
    await server.deps.db
      .update(saveSlots)
      .set({ deletedAt: new Date(Date.now() - 31 * DAY_MS) })
      .where(
        inArray(
          saveSlots.setUid,
          server.deps.db.select({ uid: saveSets.uid }).from(saveSets).where(eq(saveSets.userUid, person.uid)),
        ),
      )
    await thin(person)
    expect((await saves.restore('main')).status).toBe(404)
    await waitFor('both objects are gone', async () => (await listObjects(server)).length === objects - 2)
  })

  test('a slot in the bin takes a new save of its name without losing its history', async () => {
    const { saves } = await newSavePlayer(server, game)
    const old = await saves.write('main', 'old', null)
    await saves.remove('main')
    expect(await readConflict(await saves.put('main', 'late', old.revision))).toMatchObject({ theirs: null })
    await saves.write('main', 'new', null)
    expect(await saves.text('main', old.revision)).toBe('old')
    expect((await saves.list('?bin=1')).slots).toEqual([])
  })

  test('objects that got no row are removed after a day, all others stay', async () => {
    const { saves } = await newSavePlayer(server, game)
    await saves.write('main', 'kept', null)
    const orphan = `saves/${crypto.randomUUID()}`
    await server.deps.objects.put(orphan, new TextEncoder().encode('nobody'))
    const before = await listObjects(server)
    await reclaim(server.deps, new Date(), signal)
    expect(await listObjects(server)).toEqual(before)
    const tomorrow = orphanedBefore(new Date(Date.now() + 2 * DAY_MS))
    const surveys = await surveyObjects(server.deps, tomorrow)
    await removeOrphans(
      server.deps,
      surveys.filter(({ kind }) => kind === 'saves'),
      tomorrow,
      1000,
    )
    expect(before.filter((key) => key !== orphan)).toEqual(await listObjects(server))
  })

  describe('an account that is deleted', () => {
    test('takes its saves along', async () => {
      const { saves, person } = await newSavePlayer(server, game)
      const before = await listObjects(server)
      await saves.write('main', 'gone with me', null)
      await saves.write('other', 'this too', null)
      const deleted = await person.json('DELETE', '/api/v1/private/me', { password: person.password })
      expect(deleted.status).toBe(200)
      await waitFor(
        'their objects are gone',
        async () => (await listObjects(server)).length === before.length,
      )
      expect(await server.deps.db.select().from(saveSets).where(eq(saveSets.userUid, person.uid))).toEqual([])
    })
  })
})
