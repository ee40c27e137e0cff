import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { jamEntries, jamRatings, jams, jamVisits } from '../../../../src/db/schema/jams.ts'
import type { Rating } from '../../../../src/features/jams/rating/model.ts'
import type { Results } from '../../../../src/features/jams/results/model.ts'
import {
  addToJam,
  endVoting,
  enter,
  type Entered,
  insertJam,
  type JamRow,
  listVotes,
  moveVotingEnd,
  play,
  putRating,
  rate,
  ratingPath,
  readEntry,
  setAge,
  STARS,
} from '../../../helpers/jams/voting.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertAdmin, verifyEmail } from '../../../helpers/listings.ts'
import { asPerson, type Person, signUp } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const ann = usePerson(server)
const ben = usePerson(server)
const cleo = usePerson(server)

/** A jam with an entry of each of the three. */
async function insertFull(values: Parameters<typeof insertJam>[1] = {}) {
  const jam = await insertJam(server, values)
  const [anns, bens, cleos] = [
    await enter(server, jam, ann),
    await enter(server, jam, ben),
    await enter(server, jam, cleo),
  ]
  return { jam, anns, bens, cleos }
}

/** Holds every vote back right before it is committed until all of them wait, for the end or for each other. */
async function castTogether(casts: readonly (() => Promise<Response>)[]): Promise<Response[]> {
  const { db } = server.deps
  await db.execute(sql`create function hold_vote() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(1); return null; end $$`)
  await db.execute(sql`create constraint trigger hold_vote after insert on jam_ratings
    deferrable initially deferred for each row execute function hold_vote()`)
  try {
    return await db
      .transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(1)`)
        const answers = Promise.all(casts.map((cast) => cast()))
        await waitFor('all votes wait', async () => {
          const waiting = await tx.execute(sql`
            select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
            where locktype = 'advisory' and not granted and datname = current_database()`)
          return waiting.length === casts.length
        })
        return { answers }
      })
      .then(({ answers }) => answers)
  } finally {
    await db.execute(sql`drop function hold_vote cascade`)
  }
}

const change = (jam: JamRow, values: Partial<typeof jams.$inferInsert>) =>
  server.deps.db.update(jams).set(values).where(eq(jams.uid, jam.uid))

async function refusalOf(person: Person, jam: JamRow, entered: Entered, fields: object = {}) {
  const { status, code, data } = await readFailure<{ reason?: string }>(
    await putRating(person, jam, entered, fields),
  )
  return { status, code, reason: data?.reason }
}

const refused = (reason: string) => ({ status: 403, code: 4122, reason })

describe('a rating', () => {
  test('is stored, read, and changed until the voting ends', async () => {
    const { jam, bens } = await insertFull()
    await play(server, bens, ann)
    const answer = await putRating(ann, jam, bens, { comment: '  Warm light. ', public: true })
    expect(answer.status).toBe(201)
    const rating = await readData<Rating>(answer)
    expect(rating).toMatchObject({
      game_uid: bens.game.uid,
      scores: STARS,
      comment: 'Warm light.',
      public: true,
    })
    const changed = await putRating(ann, jam, bens, { scores: { Fun: 1, Theme: 2 } })
    expect(changed.status).toBe(200)
    const now = await readData<Rating>(await ann.fetch(ratingPath(jam, bens)))
    expect(now).toMatchObject({ scores: { Fun: 1, Theme: 2 }, comment: '', public: false })
    expect(now.created_at).toBe(rating.created_at)
    expect((await putRating(ann, jam, bens, now)).status).toBe(200)

    await moveVotingEnd(server, jam)
    const late = await readFailure(await putRating(ann, jam, bens))
    expect(late).toMatchObject({
      status: 409,
      code: 4121,
      data: { state: 'past', closes_at: expect.any(String) },
    })
    const kept = await readData<Rating>(await ann.fetch(ratingPath(jam, bens)))
    expect(kept).toEqual({ ...now, updated_at: kept.updated_at })
  })

  test('is found by the name of the listing and the uid of the jam too', async () => {
    const { jam, bens } = await insertFull()
    await play(server, bens, ann)
    const path = `/api/v1/private/jams/${jam.uid}/ratings/${bens.game.vanityName}`
    expect((await ann.json('PUT', path, { scores: STARS })).status).toBe(201)
  })

  test('needs stars for every criterion and for no other', async () => {
    const { jam, bens } = await insertFull()
    await play(server, bens, ann)
    const send = async (scores: unknown) => await readFailure(await putRating(ann, jam, bens, { scores }))
    expect(await send({ Fun: 3 })).toMatchObject({
      status: 400,
      code: 4000,
      data: { issues: [{ path: 'scores.Theme' }] },
    })
    expect(await send({ Fun: 3, Theme: 3, Sound: 3 })).toMatchObject({ status: 400, code: 4000 })
    for (const stars of [0, 6, 2.5, '3', null])
      expect(await send({ Fun: stars, Theme: 3 })).toMatchObject({ status: 400, code: 4000 })
    expect(await readFailure(await putRating(ann, jam, bens, { comment: 'x'.repeat(2001) }))).toMatchObject({
      status: 400,
      code: 4000,
    })
  })

  test('counts once for its entry and for those of its voter, whatever happens at once', async () => {
    const { jam, anns, bens } = await insertFull()
    await play(server, bens, ann)
    await play(server, anns, ben)
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2 === 0 ? putRating(ann, jam, bens) : putRating(ben, jam, anns),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 200, 200, 200, 201, 201,
    ])
    expect(await readEntry(server, anns)).toMatchObject({ received: 1, given: 1 })
    expect(await readEntry(server, bens)).toMatchObject({ received: 1, given: 1 })
    expect(await listVotes(server, jam)).toHaveLength(2)
  })

  test('keeps nothing of the network but a hash that differs between jams', async () => {
    const [first, second] = [await insertFull(), await insertFull()]
    await rate(server, ann, first.jam, first.bens)
    await rate(server, ann, second.jam, second.bens)
    const [one] = await listVotes(server, first.jam)
    const [other] = await listVotes(server, second.jam)
    expect(one?.networkHash).toHaveLength(43)
    expect(one?.networkHash).not.toBe(other?.networkHash)
    expect(JSON.stringify(one)).not.toContain(ann.address)
    const old = await signUp(server)
    await setAge(server, old, 8)
    await insertAdmin(server, first.anns.game.uid, old, 'accepted')
    await rate(server, old, first.jam, first.bens)
    const votes = await listVotes(server, first.jam)
    expect(votes.find(({ userUid }) => userUid === old.uid)?.networkHash).toBeNull()
  })

  test('of an unknown entry or jam is not found', async () => {
    const { jam } = await insertFull()
    const other = await insertFull()
    expect(await readFailure(await putRating(ann, jam, other.bens))).toMatchObject({ status: 404 })
    const draft = await insertFull({ visibility: 'draft' })
    expect(await readFailure(await putRating(ann, draft.jam, draft.bens))).toMatchObject({ status: 404 })
    expect((await ann.fetch(ratingPath(jam, other.bens))).status).toBe(404)
  })
})

describe('voting is closed', () => {
  test('before the end, until the builds are pinned, after it, and where a jam is not ranked', async () => {
    const { jam, bens } = await insertFull()
    await play(server, bens, ann)
    const closed = { status: 409, code: 4121 }
    const soon = new Date(Date.now() + 60 * 60 * 1000)
    await change(jam, { endsAt: soon })
    expect(await readFailure(await putRating(ann, jam, bens))).toMatchObject({
      ...closed,
      data: { state: 'running', opens_at: soon.toISOString() },
    })
    await change(jam, { endsAt: new Date(Date.now() - 60_000), pinnedAt: null })
    expect(await refusalOf(ann, jam, bens)).toMatchObject(closed)
    await change(jam, { pinnedAt: new Date(), votingEndsAt: null })
    expect(await refusalOf(ann, jam, bens)).toMatchObject(closed)
    await change(jam, { votingEndsAt: soon, computedAt: new Date() })
    expect(await refusalOf(ann, jam, bens)).toMatchObject(closed)
    await change(jam, { computedAt: null })
    expect((await putRating(ann, jam, bens)).status).toBe(201)
  })
})

describe('who rates', () => {
  test('entrants: owners and accepted admins of entries that were not withdrawn', async () => {
    const { jam, anns, bens } = await insertFull()
    const [stranger, admin] = [await signUp(server), await signUp(server)]
    await play(server, bens, stranger)
    await play(server, bens, admin)
    expect(await refusalOf(stranger, jam, bens)).toEqual(refused('not_entrant'))
    await insertAdmin(server, anns.game.uid, admin, 'invited')
    expect(await refusalOf(admin, jam, bens)).toEqual(refused('not_entrant'))
    await insertAdmin(server, anns.game.uid, stranger, 'accepted')
    expect((await putRating(stranger, jam, bens)).status).toBe(201)
    await server.deps.db
      .update(jamEntries)
      .set({ withdrawnAt: new Date() })
      .where(eq(jamEntries.uid, anns.entry.uid))
    expect(await refusalOf(stranger, jam, bens)).toEqual(refused('not_entrant'))
  })

  test('everyone with a confirmed address and an account that is old enough', async () => {
    const { jam, bens } = await insertFull({ voters: 'everyone' })
    const voter = await signUp(server)
    await play(server, bens, voter)
    expect(await refusalOf(voter, jam, bens)).toEqual(refused('unconfirmed'))
    await verifyEmail(server, voter)
    expect(await refusalOf(voter, jam, bens)).toEqual(refused('too_young'))
    await setAge(server, voter, 2.9)
    expect(await refusalOf(voter, jam, bens)).toEqual(refused('too_young'))
    await setAge(server, voter, 3.1)
    expect((await putRating(voter, jam, bens)).status).toBe(201)
  })

  test('judges only, where judges vote', async () => {
    const { jam, bens } = await insertFull({ voters: 'judges' })
    await play(server, bens, ann)
    expect(await refusalOf(ann, jam, bens)).toEqual(refused('not_judge'))
    await addToJam(server, jam, ann, 'judge')
    expect((await putRating(ann, jam, bens)).status).toBe(201)
  })

  test('nobody without a session', async () => {
    const { jam, bens } = await insertFull()
    const guest = asPerson(server, { ...ann, cookie: '' })
    expect((await putRating(guest, jam, bens)).status).toBe(401)
  })
})

describe('what cannot be rated', () => {
  test('own entries, and those of the same team', async () => {
    const { jam, anns, bens } = await insertFull()
    expect(await refusalOf(ann, jam, anns)).toEqual(refused('own_entry'))
    await insertAdmin(server, bens.game.uid, ann, 'accepted')
    expect(await refusalOf(ann, jam, bens)).toEqual(refused('own_entry'))
  })

  test('what was not played for a minute or fetched, where the jam asks for it', async () => {
    const { jam, bens } = await insertFull()
    expect(await refusalOf(ann, jam, bens)).toEqual(refused('not_played'))
    await play(server, bens, ann, 59)
    expect(await refusalOf(ann, jam, bens)).toEqual(refused('not_played'))
    await server.deps.db
      .update(jamVisits)
      .set({ downloadedAt: new Date() })
      .where(eq(jamVisits.entryUid, bens.entry.uid))
    expect((await putRating(ann, jam, bens)).status).toBe(201)
    const free = await insertFull({ mustPlay: false })
    expect((await putRating(ann, free.jam, free.bens)).status).toBe(201)
  })

  test('withdrawn, disqualified and taken-down entries, each with its reason', async () => {
    const { jam, bens } = await insertFull()
    await play(server, bens, ann)
    const set = (values: Partial<typeof jamEntries.$inferInsert>) =>
      server.deps.db.update(jamEntries).set(values).where(eq(jamEntries.uid, bens.entry.uid))
    await set({ withdrawnAt: new Date() })
    expect(await refusalOf(ann, jam, bens)).toEqual(refused('withdrawn'))
    await set({ withdrawnAt: null, disqualifiedAt: new Date(), disqualifiedFor: 'Made before.' })
    expect(await refusalOf(ann, jam, bens)).toEqual(refused('disqualified'))
    await set({ disqualifiedAt: null })
    const takenDown = { at: new Date().toISOString(), reason: 'Stolen.', visibility: 'public' } as const
    await server.deps.db
      .update(games)
      .set({ takenDown, visibility: 'owner' })
      .where(eq(games.uid, bens.game.uid))
    expect(await refusalOf(ann, jam, bens)).toEqual(refused('taken_down'))
  })

  test('entries that their team takes out, also at that moment', async () => {
    const { jam, bens, cleos } = await insertFull({ mustPlay: false })
    await putRating(ann, jam, cleos)
    const takeOut = () => ben.json('DELETE', `/api/v1/private/jams/${jam.slug}/entries/${bens.game.uid}`)
    const [rated, out] = await Promise.all([putRating(ann, jam, bens), takeOut()])
    expect(out.status).toBe(200)
    if (rated.status !== 201)
      expect(await readFailure(rated)).toMatchObject({ code: 4122, data: { reason: 'withdrawn' } })
    expect(await readFailure(await putRating(ann, jam, bens))).toMatchObject({
      code: 4122,
      data: { reason: 'withdrawn' },
    })
    await endVoting(server, jam)
    const results = await readData<Results>(await server.fetch(`/api/v1/public/jams/${jam.slug}/results`))
    expect(results.items.map(({ game }) => game.uid)).not.toContain(bens.game.uid)
  })

  test('entries for adults without the opt-in', async () => {
    const jam = await insertJam(server, { mustPlay: false })
    await enter(server, jam, ann)
    const adult = await enter(server, jam, ben, { game: { adult: true } })
    expect(await refusalOf(ann, jam, adult)).toEqual(refused('adult'))
  })
})

describe('votes that do not count', () => {
  test('begin with one team, and count once another one was rated', async () => {
    const { jam, bens, cleos } = await insertFull()
    await rate(server, ann, jam, bens)
    expect((await listVotes(server, jam)).map(({ fault }) => fault)).toEqual(['one_team'])
    await rate(server, ann, jam, cleos)
    expect((await listVotes(server, jam)).map(({ fault }) => fault)).toEqual([null, null])
  })

  test('count at once when the first two are for different teams and arrive together', async () => {
    const { jam, bens, cleos } = await insertFull({ voters: 'judges', mustPlay: false })
    const judge = await signUp(server)
    await addToJam(server, jam, judge, 'judge')
    const votes = await castTogether([bens, cleos].map((entered) => () => putRating(judge, jam, entered)))
    expect(votes.map(({ status }) => status)).toEqual([201, 201])
    expect((await listVotes(server, jam)).map(({ fault }) => fault)).toEqual([null, null])
  })

  test('stay with one team across its listings, and when the account is deleted', async () => {
    const { jam, bens, cleos } = await insertFull()
    await insertAdmin(server, cleos.game.uid, ben, 'accepted')
    await rate(server, ann, jam, bens)
    await rate(server, ann, jam, cleos)
    expect((await listVotes(server, jam)).map(({ fault }) => fault)).toEqual(['one_team', 'one_team'])
    await server.deps.db.update(jamRatings).set({ userUid: null }).where(eq(jamRatings.jamUid, jam.uid))
    expect((await listVotes(server, jam)).map(({ fault }) => fault)).toEqual(['one_team', 'one_team'])
  })

  test('are those of a burst of young accounts from one network', async () => {
    const { jam, bens, cleos } = await insertFull({
      voters: 'everyone',
      endsAt: new Date(Date.now() - 60_000),
    })
    const rateFrom = async (address: string, days: number) => {
      const voter = asPerson(server, { ...(await signUp(server)), address })
      await verifyEmail(server, voter)
      await setAge(server, voter, days)
      await rate(server, voter, jam, cleos)
      await rate(server, voter, jam, bens)
      return voter.uid
    }
    const crowd: string[] = []
    for (let index = 1; index <= 5; index += 1) crowd.push(await rateFrom(`203.0.113.${index}`, 3))
    const old = await rateFrom('203.0.113.50', 30)
    const far = await rateFrom('198.51.100.7', 3)
    const faultsOf = async (uids: string[]) =>
      (await listVotes(server, jam))
        .filter(({ userUid, entryUid }) => uids.includes(userUid ?? '') && entryUid === bens.entry.uid)
        .map(({ fault }) => fault)
    expect(await faultsOf(crowd)).toEqual([null, null, null, null, null])
    crowd.push(await rateFrom('203.0.113.6', 3))
    expect(await faultsOf(crowd)).toEqual(Array(6).fill('burst'))
    expect(await faultsOf([old, far])).toEqual([null, null])
  })
})
