import { beforeAll, describe, expect, test } from 'bun:test'

import { desc, eq } from 'drizzle-orm'

import { jamChanges } from '../../../../src/db/schema/jams.ts'
import { operatorActs } from '../../../../src/db/schema/operate.ts'
import type { PersonalData } from '../../../../src/features/accounts/personal-data/personal-data-model.ts'
import type { Results } from '../../../../src/features/jams/results/model.ts'
import type { Vote } from '../../../../src/features/jams/votes/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import {
  addToJam,
  endVoting,
  enter,
  type Entered,
  insertJam,
  type JamRow,
  listVotes as listStoredVotes,
  rate,
} from '../../../helpers/jams/voting.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertAdmin } from '../../../helpers/listings.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const host = usePerson(server)
let people: Person[]
beforeAll(async () => {
  people = await Promise.all(Array.from({ length: 3 }, () => signUp(server)))
})

const votesPath = (jam: JamRow, tail = '') => `/api/v1/private/jams/${jam.slug}/manage/votes${tail}`
const readVotes = async (jam: JamRow, query = '') =>
  await readData<Paged<Vote>>(await host.fetch(votesPath(jam, query)))
const decide = (
  jam: JamRow,
  uid: string,
  act: 'void' | 'restore',
  reason = 'A ring of friends',
  person = host,
) => person.json('POST', votesPath(jam, `/${uid}/${act}`), { reason })

/** Each of three people has an entry and rated the other two; the first one only the second. */
async function insertRated() {
  const jam = await insertJam(server)
  await addToJam(server, jam, host, 'host')
  const entries: Entered[] = []
  for (const person of people) entries.push(await enter(server, jam, person))
  for (const [index, person] of people.entries())
    for (const [other, entered] of entries.entries()) {
      if (other === index || (index === 0 && other === 2)) continue
      await rate(server, person, jam, entered, { scores: { Fun: 5, Theme: 4 } })
    }
  return { jam, entries }
}

describe('hosts', () => {
  test('see votes with names and reasons, and look for some of them', async () => {
    const { jam, entries } = await insertRated()
    const all = await readVotes(jam)
    expect(all.total).toBe(5)
    const left = await readVotes(jam, '?show=uncounted')
    const first = await usernameOf(people[0] as Person)
    expect(left.items).toMatchObject([
      {
        voter: first,
        game: { uid: entries[1]?.game.uid },
        scores: { Fun: 5, Theme: 4 },
        counts: false,
        fault: 'one_team',
        decision: null,
        reason: null,
      },
    ])
    expect((await readVotes(jam, `?voter=${await usernameOf(people[1] as Person)}`)).total).toBe(2)
    expect((await readVotes(jam, `?game=${entries[1]?.game.vanityName}`)).total).toBe(2)
    expect((await readVotes(jam, `?game=${entries[2]?.game.uid}`)).total).toBe(1)
    expect((await readVotes(jam, '?game=nothing&voter=nobody')).total).toBe(0)
    expect(JSON.stringify(all)).not.toContain('network')
  })

  test('void and restore votes with a reason, which the audit log keeps', async () => {
    const { jam } = await insertRated()
    const [vote] = (await readVotes(jam)).items
    if (!vote) throw new Error('There is no vote')
    expect(await readData<Vote>(await decide(jam, vote.uid, 'void'))).toMatchObject({
      counts: false,
      fault: 'voided',
      decision: 'voided',
      reason: 'A ring of friends',
    })
    expect(await readFailure(await decide(jam, vote.uid, 'void'))).toMatchObject({ status: 409, code: 4090 })
    expect(await readData<Vote>(await decide(jam, vote.uid, 'restore', 'They are not'))).toMatchObject({
      counts: true,
      fault: null,
      decision: 'restored',
      reason: 'They are not',
    })
    const acts = await server.deps.db
      .select()
      .from(operatorActs)
      .where(eq(operatorActs.subjectId, jam.uid))
      .orderBy(desc(operatorActs.uid))
    expect(acts.map(({ act }) => act)).toEqual(['change_jam', 'change_jam'])
    expect(acts[0]?.reason).toContain('They are not')
  })

  test('decide for good: no rule changes it', async () => {
    const { jam } = await insertRated()
    const [suspect] = (await readVotes(jam, '?show=uncounted')).items
    await decide(jam, suspect?.uid ?? '', 'restore')
    await endVoting(server, jam)
    expect((await listStoredVotes(server, jam)).every(({ fault }) => fault === null)).toBe(true)
  })

  test('change results that are out, which the page of the jam tells', async () => {
    const { jam, entries } = await insertRated()
    await endVoting(server, jam)
    const read = async () =>
      (await readData<Results>(await server.fetch(`/api/v1/public/jams/${jam.slug}/results`))).items.find(
        ({ game }) => game.uid === entries[2]?.game.uid,
      )
    expect(await read()).toMatchObject({ ratings: 1 })
    const [vote] = (await readVotes(jam, `?game=${entries[2]?.game.uid}`)).items
    await decide(jam, vote?.uid ?? '', 'void')
    expect(await read()).toMatchObject({ ratings: 0, rank: null })
    const changes = await server.deps.db.select().from(jamChanges).where(eq(jamChanges.jamUid, jam.uid))
    expect(changes.map(({ text }) => text)).toEqual(['A vote was voided; the results were computed again.'])
    expect(changes[0]?.text).not.toContain(vote?.voter ?? '')
  })
})

describe('votes', () => {
  test('are shown to hosts only, and decided by them', async () => {
    const { jam } = await insertRated()
    const [vote] = (await readVotes(jam)).items
    const entrant = people[1] as Person
    expect((await entrant.fetch(votesPath(jam))).status).toBe(403)
    expect((await decide(jam, vote?.uid ?? '', 'void', 'Mine', entrant)).status).toBe(403)
    expect((await server.fetch(votesPath(jam))).status).toBe(401)
  })

  test('that are unknown or of another jam are not found', async () => {
    const [{ jam }, other] = [await insertRated(), await insertRated()]
    const [vote] = (await readVotes(other.jam)).items
    expect((await decide(jam, vote?.uid ?? '', 'void')).status).toBe(404)
    expect((await decide(jam, 'nothing', 'void')).status).toBe(404)
    expect((await decide(jam, crypto.randomUUID(), 'void')).status).toBe(404)
    expect((await decide(jam, vote?.uid ?? '', 'void', ' ')).status).toBe(400)
  })

  test('are in the copy of their voter’s data, without anything of the network', async () => {
    const { jam, entries } = await insertRated()
    const voter = people[1] as Person
    const { jams } = await readData<PersonalData>(await voter.fetch('/api/v1/private/me/export'))
    const ratings = jams.ratings.filter(({ jam_uid }) => jam_uid === jam.uid)
    expect(ratings.map(({ game_uid }) => game_uid).toSorted()).toEqual(
      [entries[0], entries[2]].map((entered) => entered?.game.uid ?? '').toSorted(),
    )
    expect(ratings[0]).toMatchObject({ scores: [5, 4], comment: '', comment_public: false })
    expect(jams.visits.filter(({ jam_uid }) => jam_uid === jam.uid)).toHaveLength(2)
    expect(JSON.stringify(ratings)).not.toContain('network')
  })

  test('stay when their voter is deleted, without the person', async () => {
    const jam = await insertJam(server)
    await addToJam(server, jam, host, 'host')
    const voter = await signUp(server)
    const own = await enter(server, jam, people[0] as Person)
    const entries = [
      await enter(server, jam, people[1] as Person),
      await enter(server, jam, people[2] as Person),
    ]
    await insertAdmin(server, own.game.uid, voter, 'accepted')
    for (const entered of entries) await rate(server, voter, jam, entered, { comment: 'Hi', public: true })
    const gone = await voter.json('DELETE', '/api/v1/private/me', { password: voter.password })
    expect(gone.status).toBe(200)
    await endVoting(server, jam)
    expect((await readVotes(jam)).items).toMatchObject([
      { voter: null, counts: true },
      { voter: null, counts: true },
    ])
    const { items } = await readData<Results>(await server.fetch(`/api/v1/public/jams/${jam.slug}/results`))
    expect(items.filter(({ ratings }) => ratings === 1)).toHaveLength(2)
  })
})
