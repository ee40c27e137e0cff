import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { jamEntries, jams } from '../../../../src/db/schema/jams.ts'
import type { JamComment, ResultItem, Results } from '../../../../src/features/jams/results/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { createRandom } from '../../../../src/lib/random.ts'
import { countInPython } from '../../../helpers/jams/count-jam.ts'
import {
  addToJam,
  compute,
  endVoting,
  enter,
  type Entered,
  insertJam,
  insertVoters,
  insertVotes,
  type JamRow,
  listStored,
  listVotes,
  moveVotingEnd,
  rate,
  readJam,
} from '../../../helpers/jams/voting.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertAdmin, verifyEmail } from '../../../helpers/listings.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const host = usePerson(server)
const maker = usePerson(server)
let people: Person[]
beforeAll(async () => {
  people = await Promise.all(Array.from({ length: 3 }, () => signUp(server)))
})

const path = (jam: JamRow, tail = '') => `/api/v1/public/jams/${jam.slug}/results${tail}`
const readResults = async (jam: JamRow, query = '') =>
  await readData<Results>(await server.fetch(path(jam, query)))
const hosting = (jam: JamRow, tail: string, body?: object, person = host) =>
  person.json('POST', `/api/v1/private/jams/${jam.slug}/manage/${tail}`, body)

/** Three entries of three people, and votes of accounts that rated them: `stars[voter][entry]`, 0 for none. */
async function insertVoted(
  stars: readonly (readonly number[])[],
  values: Parameters<typeof insertJam>[1] = {},
): Promise<{ jam: JamRow; entries: Entered[] }> {
  const jam = await insertJam(server, values)
  await addToJam(server, jam, host, 'host')
  const entries: Entered[] = []
  for (const person of people) entries.push(await enter(server, jam, person))
  const voters = await insertVoters(server, stars.length)
  const votes = stars.flatMap((row, voter) =>
    row.flatMap((score, index) =>
      score === 0
        ? []
        : [
            {
              entryUid: entries[index]?.entry.uid ?? '',
              userUid: voters[voter] ?? '',
              scores: [score, score],
            },
          ],
    ),
  )
  await insertVotes(server, jam, votes)
  return { jam, entries }
}

/** The fourth account rated one entry only, so that its vote does not count. */
const STARS = [
  [5, 3, 1],
  [5, 3, 2],
  [4, 3, 0],
  [0, 3, 0],
]

describe('results', () => {
  test('are out at the end of the voting, ordered, with the median, and paged', async () => {
    const { jam, entries } = await insertVoted(STARS)
    expect(await readFailure(await server.fetch(path(jam)))).toMatchObject({
      status: 409,
      code: 4121,
      data: { state: 'voting', opens_at: jam.votingEndsAt?.toISOString() },
    })
    await endVoting(server, jam)
    const results = await readResults(jam)
    expect(results).toMatchObject({ total: 3, m: 3, published_at: expect.any(String) })
    expect(results.items.map(({ rank, ratings, score }) => ({ rank, ratings, score }))).toEqual([
      { rank: 1, ratings: 3, score: 14 / 3 },
      { rank: 2, ratings: 3, score: 3 },
      { rank: 3, ratings: 2, score: 1.5 },
    ])
    expect(results.items[2]).toMatchObject({
      game: { uid: entries[2]?.game.uid, name: entries[2]?.game.name },
      adjusted: 1.5 * Math.sqrt(2 / 3),
      criteria: { Fun: { mean: 1.5, rank: 3 }, Theme: { mean: 1.5, rank: 3 } },
      disqualified: null,
      prizes: [],
    })
    const second = await readResults(jam, '?page=2&page_size=1&criterion=Fun')
    expect(second.items.map(({ game }) => game.uid)).toEqual([entries[1]?.game.uid ?? ''])
    const one = await readData<ResultItem>(await server.fetch(path(jam, `/${entries[0]?.game.vanityName}`)))
    expect(one.rank).toBe(1)
    expect((await server.fetch(path(jam, '/nothing'))).status).toBe(404)
  })

  test('equal those of another program to the last digit, and a recount changes nothing', async () => {
    const random = createRandom('143 entries')
    const criteria = ['Fun', 'Theme', 'Sound'].map((name) => ({ name, text: '', primary: name === 'Theme' }))
    const jam = await insertJam(server, { criteria, minRatings: 5, slug: 'one-hundred-forty-three' })
    await addToJam(server, jam, host, 'host')
    const owners = await insertVoters(server, 143)
    const entryUids: string[] = []
    for (const [index, uid] of owners.entries()) {
      const owner = { ...maker, uid }
      const disqualified = index % 20 === 7 ? { disqualifiedAt: new Date(), disqualifiedFor: 'Late.' } : {}
      const { entry } = await enter(server, jam, owner, { systems: [], entry: disqualified })
      entryUids.push(entry.uid)
    }
    const voters = await insertVoters(server, 150)
    const votes = voters.flatMap((userUid) =>
      random.draw(entryUids, 20).map((entryUid) => ({
        userUid,
        entryUid,
        scores: criteria.map(() => 1 + random.below(5)),
      })),
    )
    expect(votes).toHaveLength(3000)
    await insertVotes(server, jam, votes)
    await endVoting(server, jam)

    const python = await countInPython({
      criteria,
      minRatings: 5,
      entries: entryUids.map((uid, index) => ({ uid, isDisqualified: index % 20 === 7 })),
      votes,
    })
    const stored = await listStored(server, jam)
    expect((await readJam(server, jam)).median).toBe(python.median)
    const byUid = new Map(python.results.map((result) => [result.entryUid, result]))
    expect(stored).toHaveLength(143)
    for (const row of stored) {
      const counted = byUid.get(row.entryUid)
      if (!counted) throw new Error('Python has no such entry')
      expect(row).toEqual({ ...counted, jamUid: jam.uid })
    }

    expect((await hosting(jam, 'results/recount')).status).toBe(200)
    expect(await listStored(server, jam)).toEqual(stored)
  }, 60_000)

  test('leave out votes that do not count, found when the voting ends', async () => {
    const { jam, entries } = await insertVoted(STARS, {
      voters: 'everyone',
      endsAt: new Date(Date.now() - 60_000),
    })
    const [cheat, young] = await insertVoters(server, 2)
    const [first, second] = entries.map(({ entry }) => entry.uid)
    const cast = (userUid = '', entryUid = '') => ({ entryUid, userUid, scores: [5, 5], networkHash: 'x' })
    await insertVotes(server, jam, [cast(cheat, second), cast(young, first), cast(young, second)])
    await server.deps.db
      .update(users)
      .set({ createdAt: new Date(Date.now() - 1000 * 60 * 60) })
      .where(eq(users.id, young ?? ''))
    const soon = new Date(Date.now() + 60_000)
    await server.deps.db.update(jams).set({ votingEndsAt: soon }).where(eq(jams.uid, jam.uid))
    await endVoting(server, jam)
    const votes = await listVotes(server, jam)
    const faultsOf = (uid = '') => votes.filter(({ userUid }) => userUid === uid).map(({ fault }) => fault)
    expect(faultsOf(cheat)).toEqual(['one_team'])
    expect(faultsOf(young)).toEqual(['too_young', 'too_young'])
    expect(votes.every(({ networkHash }) => networkHash === null)).toBe(true)
    const { items } = await readResults(jam)
    expect(items.map(({ ratings }) => ratings)).toEqual([3, 3, 2])
  })

  test('share ties, and rank nothing under the least number of ratings', async () => {
    const { jam } = await insertVoted(
      [
        [4, 4, 5],
        [4, 4, 0],
      ],
      { minRatings: 2 },
    )
    await endVoting(server, jam)
    expect((await readResults(jam)).items.map(({ rank }) => rank)).toEqual([1, 1, null])
  })

  test('are computed once, by the times that the jam has then', async () => {
    const { jam } = await insertVoted(STARS)
    await compute(server)
    expect((await readJam(server, jam)).computedAt).toBeNull()
    await moveVotingEnd(server, jam)
    await Promise.all([compute(server), compute(server), compute(server)])
    const { computedAt } = await readJam(server, jam)
    expect(computedAt).not.toBeNull()
    await compute(server)
    expect((await readJam(server, jam)).computedAt).toEqual(computedAt)
    expect(await listStored(server, jam)).toHaveLength(3)
  })

  test('of a jam without any vote are there too', async () => {
    const { jam } = await insertVoted([])
    await endVoting(server, jam)
    const { items, m } = await readResults(jam)
    expect(m).toBe(0)
    expect(items.map(({ rank, score, ratings }) => ({ rank, score, ratings }))).toEqual(
      Array.from({ length: 3 }, () => ({ rank: null, score: null, ratings: 0 })),
    )
  })
})

describe('hosts', () => {
  test('hold results back, and publish them', async () => {
    const { jam } = await insertVoted(STARS)
    expect(await readData(await hosting(jam, 'results/hold'))).toEqual({
      held: true,
      computed_at: null,
      published_at: null,
    })
    await endVoting(server, jam)
    expect(await readFailure(await server.fetch(path(jam)))).toMatchObject({
      code: 4121,
      message: 'The hosts publish the results soon.',
    })
    const published = await readData(await hosting(jam, 'results/publish'))
    expect(published).toMatchObject({ held: false, published_at: expect.any(String) })
    expect((await readResults(jam)).items).toHaveLength(3)
    expect(await readFailure(await hosting(jam, 'results/hold'))).toMatchObject({ status: 409, code: 4121 })
    expect(await readFailure(await hosting(jam, 'results/publish'))).toMatchObject({ code: 4121 })
  })

  test('recount only what was counted', async () => {
    const { jam } = await insertVoted(STARS)
    expect(await readFailure(await hosting(jam, 'results/recount'))).toMatchObject({
      status: 409,
      code: 4121,
    })
  })

  test('disqualify with a reason that everyone reads, and take it back', async () => {
    const { jam, entries } = await insertVoted(STARS)
    await endVoting(server, jam)
    const best = entries[0]?.game.uid
    expect((await hosting(jam, `entries/${best}/disqualify`, { reason: 'Made before.' })).status).toBe(200)
    const { items } = await readResults(jam)
    expect(items.map(({ rank, disqualified }) => ({ rank, disqualified }))).toEqual([
      { rank: 1, disqualified: null },
      { rank: 2, disqualified: null },
      { rank: null, disqualified: 'Made before.' },
    ])
    expect(
      await readFailure(await hosting(jam, `entries/${best}/disqualify`, { reason: 'Again' })),
    ).toMatchObject({ status: 409, code: 4090 })
    expect((await hosting(jam, `entries/${best}/readmit`, { reason: 'It was not.' })).status).toBe(200)
    expect((await readResults(jam)).items.map(({ rank }) => rank)).toEqual([1, 2, 3])
    expect((await hosting(jam, `entries/${best}/disqualify`, { reason: ' ' })).status).toBe(400)
  })

  test('give prizes', async () => {
    const { jam, entries } = await insertVoted(STARS)
    const prizes = [{ title: 'Best light', text: 'A lantern.' }]
    expect((await hosting(jam, `entries/${entries[1]?.game.uid}/prizes`, { prizes })).status).toBe(200)
    await endVoting(server, jam)
    expect((await readResults(jam)).items[1]?.prizes).toEqual(prizes)
    const many = Array.from({ length: 11 }, () => prizes[0])
    expect((await hosting(jam, `entries/${entries[1]?.game.uid}/prizes`, { prizes: many })).status).toBe(400)
    expect((await hosting(jam, 'entries/nothing/prizes', { prizes })).status).toBe(404)
  })

  test('are the only ones who do this', async () => {
    const { jam, entries } = await insertVoted(STARS)
    for (const [tail, body] of [
      ['results/hold'],
      ['results/publish'],
      ['results/recount'],
      [`entries/${entries[0]?.game.uid}/disqualify`, { reason: 'No' }],
      [`entries/${entries[0]?.game.uid}/readmit`, { reason: 'No' }],
      [`entries/${entries[0]?.game.uid}/prizes`, { prizes: [] }],
    ] as const)
      expect((await hosting(jam, tail, body, maker)).status).toBe(403)
  })
})

describe('entries that are gone', () => {
  test('keep no place: withdrawn ones are left out, deleted ones too', async () => {
    const { jam, entries } = await insertVoted(STARS)
    await server.deps.db
      .update(jamEntries)
      .set({ withdrawnAt: new Date() })
      .where(eq(jamEntries.uid, entries[0]?.entry.uid ?? ''))
    await server.deps.db.delete(jamEntries).where(eq(jamEntries.uid, entries[1]?.entry.uid ?? ''))
    await endVoting(server, jam)
    const { items } = await readResults(jam)
    expect(items.map(({ game }) => game.uid)).toEqual([entries[2]?.game.uid ?? ''])
  })

  test('are not ranked when operators took them down or suspended their owner, nor shown', async () => {
    const { jam, entries } = await insertVoted(STARS)
    const takenDown = { at: new Date().toISOString(), reason: 'Stolen.', visibility: 'public' } as const
    await server.deps.db
      .update(games)
      .set({ takenDown, visibility: 'owner' })
      .where(eq(games.uid, entries[0]?.game.uid ?? ''))
    const banned = await enter(server, jam, await signUp(server))
    await server.deps.db
      .update(users)
      .set({ suspendedAt: new Date() })
      .where(eq(users.id, banned.game.ownerUid))
    await endVoting(server, jam)
    const { items, m } = await readResults(jam)
    expect(items.map(({ game, rank }) => [game.uid, rank])).toEqual([
      [entries[1]?.game.uid ?? '', 1],
      [entries[2]?.game.uid ?? '', 2],
    ])
    expect(m).toBe(2.5)
  })

  test('let their owner delete the account, whose votes stay', async () => {
    const { jam, entries } = await insertVoted(STARS)
    const owner = await signUp(server)
    const own = await enter(server, jam, owner)
    for (const entered of entries) await rate(server, owner, jam, entered)
    const endAccount = () => owner.json('DELETE', '/api/v1/private/me', { password: owner.password })
    const refused = await readFailure(await endAccount())
    expect(refused).toMatchObject({ status: 409, code: 4090 })
    expect(refused.message).toContain(own.game.name)
    const listing = `/api/v1/private/games/${own.game.uid}`
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, own.game.uid))
    expect((await readFailure(await owner.json('DELETE', listing))).message).toContain(jam.title)
    const out = await owner.json('DELETE', `/api/v1/private/jams/${jam.slug}/entries/${own.game.uid}`)
    expect(out.status).toBe(200)
    expect((await owner.json('DELETE', listing)).status).toBe(200)
    expect((await endAccount()).status).toBe(200)
    await endVoting(server, jam)
    const { items } = await readResults(jam)
    // With the votes of the account that is gone.
    expect(items.map(({ game, ratings }) => [game.uid, ratings])).toEqual([
      [entries[0]?.game.uid ?? '', 4],
      [entries[1]?.game.uid ?? '', 4],
      [entries[2]?.game.uid ?? '', 3],
    ])
  })
})

describe('comments', () => {
  test('are read after the results: public ones by all with the name, the others by the team without', async () => {
    const jam = await insertJam(server, { voters: 'everyone', endsAt: new Date(Date.now() + 60_000) })
    const [team, voter, other] = people
    if (!team || !voter || !other) throw new Error('Too few people')
    await server.deps.db
      .update(jams)
      .set({ endsAt: new Date(Date.now() - 60_000) })
      .where(eq(jams.uid, jam.uid))
    const entered = await enter(server, jam, team)
    for (const person of [voter, other]) {
      await verifyEmail(server, person)
      await server.deps.db
        .update(users)
        .set({ createdAt: new Date('2025-01-01') })
        .where(eq(users.id, person.uid))
    }
    await rate(server, voter, jam, entered, { comment: '<b>Lovely</b>', public: true })
    await rate(server, other, jam, entered, { comment: 'The jump is too low.' })
    const comments = path(jam, `/${entered.game.uid}/comments`)
    expect((await server.fetch(comments)).status).toBe(409)
    await endVoting(server, jam)
    const shown = await readData<Paged<JamComment>>(await server.fetch(comments))
    expect(shown.items).toMatchObject([
      { text: '<b>Lovely</b>', public: true, person: { username: await usernameOf(voter) } },
    ])
    const own = `/api/v1/private/jams/${jam.slug}/results/${entered.game.uid}/comments`
    const admin = await signUp(server)
    await insertAdmin(server, entered.game.uid, admin, 'accepted')
    for (const person of [team, admin])
      expect(await readData<Paged<JamComment>>(await person.fetch(own))).toMatchObject({
        items: [
          { text: 'The jump is too low.', public: false, person: null },
          { text: '<b>Lovely</b>', public: true },
        ],
      })
    expect((await readData<Paged<JamComment>>(await other.fetch(own))).items).toHaveLength(1)
  })
})
