import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { jams } from '../../../../src/db/schema/jams.ts'
import { operatorActs } from '../../../../src/db/schema/operate.ts'
import { JAMS_PER_HOST_MAX } from '../../../../src/domain/jams.ts'
import type { JamSummary, OwnJam } from '../../../../src/features/jams/jams/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import {
  inHours,
  insertHost,
  insertJam,
  jamInput,
  jamsPath,
  makeJam,
  readJam,
  readOwnJam,
} from '../../../helpers/jams/jams.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { verifyEmail } from '../../../helpers/listings.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import { signUp, usernameOf } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const operator = usePerson(server, signUpOperator)
const player = usePerson(server)

const create = (fields: object = {}, person = operator) =>
  person.json('POST', '/api/v1/private/jams', jamInput(fields))
const issuesOf = async (answer: Response) => {
  const { status, code, data } = await readFailure<{ issues: { path: string }[] }>(answer)
  return [status, code, ...data.issues.map(({ path }) => path)]
}

describe('a new jam', () => {
  test('is a draft with defaults, and its maker is its first host', async () => {
    const username = await usernameOf(operator)
    const input = jamInput({ title: '  Lantern & Jam: 1  ', slug: undefined })
    const answer = await operator.json('POST', '/api/v1/private/jams', input)
    expect(answer.status).toBe(201)
    expect(answer.headers.get('etag')).toBe('"1"')
    const jam = await readData<OwnJam>(answer)
    expect(jam).toMatchObject({
      slug: 'lantern-jam-1',
      url: `${server.url}/jams/lantern-jam-1`,
      title: 'Lantern & Jam: 1',
      tagline: '',
      text: '',
      html: '',
      cover: null,
      theme: '',
      theme_hidden: false,
      state: 'coming',
      starts_at: input.starts_at,
      ends_at: input.ends_at,
      voting_ends_at: null,
      grace_minutes: 0,
      visibility: 'draft',
      entry: 'open',
      types: [],
      platforms: [],
      web_required: false,
      entries_per_person: 1,
      made_during: false,
      voters: 'entrants',
      criteria: [{ name: 'Overall', text: '', primary: true }],
      must_play: true,
      min_ratings: 5,
      hosts: [{ uid: operator.uid, username, display_name: username, picture: null }],
      judges: [],
      participants: 0,
      entries: 0,
      changes: [],
      is_host: true,
      joined: false,
    })
    expect((await server.fetch(`/api/v1/public/jams/${jam.slug}`)).status).toBe(404)
    expect((await player.fetch(jamsPath(jam))).status).toBe(404)
    const [act] = await server.deps.db.select().from(operatorActs).where(eq(operatorActs.subjectId, jam.uid))
    expect(act).toMatchObject({ act: 'create_jam', subject: 'jam', subjectName: jam.title })
  })

  test('has everything that is sent, with people by username', async () => {
    const [marta, kim] = await Promise.all([signUp(server), signUp(server)])
    const fields = {
      slug: 'everything',
      tagline: 'Make a game about light',
      text: '**Rules**\n\n<script>alert(1)</script>',
      theme: 'Light',
      voting_ends_at: inHours(80),
      grace_minutes: 30,
      visibility: 'public',
      entry: 'invited',
      types: ['game', 'tool'],
      platforms: ['web', 'linux'],
      web_required: true,
      entries_per_person: 3,
      made_during: true,
      voters: 'judges',
      must_play: false,
      min_ratings: 3,
    }
    const criteria = [
      { name: 'Fun', text: 'Did you want to go on?', primary: true },
      { name: '<script>alert(1)</script>', text: '', primary: false },
    ]
    expect((await marta.json('PATCH', '/api/v1/private/me', { display_name: 'Marta Okapi' })).status).toBe(
      200,
    )
    const jam = await makeJam(operator, {
      ...fields,
      criteria,
      hosts: [await usernameOf(marta)],
      judges: [{ username: await usernameOf(kim) }],
    })
    const shown = await readJam(server, 'everything')
    expect(shown).toMatchObject({ ...fields, criteria, uid: jam.uid })
    expect(shown.hosts.map(({ uid }) => uid)).toEqual([operator.uid, marta.uid])
    expect(shown.hosts[1]?.display_name).toBe('Marta Okapi')
    expect(shown.judges.map(({ uid }) => uid)).toEqual([kim.uid])
    expect(shown.html).not.toContain('<script')
    expect(shown).not.toHaveProperty('is_host')
    expect((await readJam(server, jam.uid)).slug).toBe('everything')
    expect((await readOwnJam(marta, jam.uid)).is_host).toBe(true)
    expect((await readOwnJam(kim, jam.uid)).is_judge).toBe(true)
  })

  test.each<[object, string]>([
    [{ title: ' ' }, 'title'],
    [{ title: 'x'.repeat(81) }, 'title'],
    [{ title: 'two\nlines' }, 'title'],
    [{ tagline: 'x'.repeat(141) }, 'tagline'],
    [{ text: 'x'.repeat(50_001) }, 'text'],
    [{ theme: 'x'.repeat(201) }, 'theme'],
    [{ slug: 'Not A Slug' }, 'slug'],
    [{ starts_at: 'tomorrow' }, 'starts_at'],
    [{ starts_at: inHours(24 * 366 * 4), ends_at: inHours(24 * 366 * 4 + 2) }, 'starts_at'],
    [{ ends_at: inHours(24.5) }, 'ends_at'],
    [{ ends_at: inHours(24 * 92) }, 'ends_at'],
    [{ starts_at: inHours(-10), ends_at: inHours(-1) }, 'ends_at'],
    [{ voting_ends_at: inHours(72.5) }, 'voting_ends_at'],
    [{ voting_ends_at: inHours(74), grace_minutes: 120 }, 'voting_ends_at'],
    [{ voting_ends_at: inHours(72 + 24 * 61) }, 'voting_ends_at'],
    [{ grace_minutes: 121 }, 'grace_minutes'],
    [{ grace_minutes: -1 }, 'grace_minutes'],
    [{ visibility: 'secret' }, 'visibility'],
    [{ entry: 'closed' }, 'entry'],
    [{ types: ['film'] }, 'types.0'],
    [{ platforms: ['amiga'] }, 'platforms.0'],
    [{ entries_per_person: 0 }, 'entries_per_person'],
    [{ entries_per_person: 6 }, 'entries_per_person'],
    [{ voters: 'nobody' }, 'voters'],
    [{ criteria: [] }, 'criteria'],
    [{ criteria: Array.from({ length: 9 }, (_, index) => ({ name: `C${index}` })) }, 'criteria'],
    [{ criteria: [{ name: '' }] }, 'criteria.0.name'],
    [{ criteria: [{ name: 'x'.repeat(41) }] }, 'criteria.0.name'],
    [{ criteria: [{ name: 'Fun', text: 'x'.repeat(201) }] }, 'criteria.0.text'],
    [{ criteria: [{ name: 'Fun' }, { name: ' FUN ' }] }, 'criteria.1.name'],
    [
      {
        criteria: [
          { name: 'Fun', primary: true },
          { name: 'Look', primary: true },
        ],
      },
      'criteria',
    ],
    [{ min_ratings: 0 }, 'min_ratings'],
    [{ min_ratings: 21 }, 'min_ratings'],
    [{ hosts: ['nobody-of-this-name'] }, 'hosts.0'],
    [{ judges: [{ username: 'nobody-of-this-name' }] }, 'judges.0'],
  ])('is refused with %p at %s', async (fields, path) => {
    expect(await issuesOf(await create(fields))).toEqual([400, 4000, path])
  })

  test('tells all faults at once, and refuses unknown fields', async () => {
    const faults = await issuesOf(await create({ title: '', criteria: [{ name: '' }], ends_at: inHours(1) }))
    expect(faults).toEqual([400, 4000, 'title', 'criteria.0.name', 'ends_at'])
    expect(await issuesOf(await create({ prize: 'a boat' }))).toEqual([400, 4000, 'prize'])
  })

  test('accepts the bounds themselves', async () => {
    const jam = await makeJam(operator, {
      title: '🏮'.repeat(80),
      tagline: 'x'.repeat(140),
      text: 'x'.repeat(50_000),
      theme: '🏮'.repeat(200),
      starts_at: inHours(1),
      ends_at: inHours(1 + 24 * 90),
      voting_ends_at: inHours(1 + 24 * 150),
      grace_minutes: 120,
      criteria: Array.from({ length: 8 }, (_, index) => ({ name: `C${index}` })),
      entries_per_person: 5,
      min_ratings: 20,
    })
    expect(jam.slug).toMatch(/^jam(-\d+)?$/)
    expect(jam.criteria).toHaveLength(8)
  })
})

describe('the slug of a jam', () => {
  test('that is taken or reserved is told, and one from the title gets a number', async () => {
    await makeJam(operator, { title: 'Often', slug: undefined })
    expect((await makeJam(operator, { title: 'Often', slug: undefined })).slug).toBe('often-2')
    for (const slug of ['often', 'new', 'feed', 'manage', crypto.randomUUID()])
      expect(await issuesOf(await create({ slug }))).toEqual([409, 4090, 'slug'])
    expect((await makeJam(operator, { title: 'New', slug: undefined })).slug).toBe('jam-new')
  })

  test('is taken by one of two jams that are made at once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({ slug: 'wanted' })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  })
})

describe('who makes a jam', () => {
  const setMakers = (makers: string | null) =>
    operator.json('PATCH', '/api/v1/operator/settings', { jams: makers })
  const makeDeveloper = async () => {
    const person = await signUp(server)
    await verifyEmail(server, person)
    await server.deps.db.update(users).set({ developerMode: true }).where(eq(users.id, person.uid))
    return person
  }

  test('is what the setting says: operators, developers too, or nobody', async () => {
    const developer = await makeDeveloper()
    await verifyEmail(server, player)
    const tryAll = async () => {
      const failures = []
      for (const person of [operator, developer, player]) {
        const answer = await create({}, person)
        failures.push(answer.status === 201 ? 201 : (await readFailure(answer)).code)
      }
      return failures
    }
    expect(await tryAll()).toEqual([201, 4030, 4030])
    await setMakers('developers')
    expect(await tryAll()).toEqual([201, 201, 4105])
    expect((await readFailure(await create({}, await signUp(server)))).code).toBe(4096)
    await setMakers('off')
    expect(await tryAll()).toEqual([4030, 4030, 4030])
    await setMakers(null)
  })

  test(`hosts at most ${JAMS_PER_HOST_MAX} that are not over`, async () => {
    const maker = await signUpOperator(server)
    for (let index = 1; index < JAMS_PER_HOST_MAX; index += 1) await insertJam(server, { host: maker })
    await insertJam(server, { state: 'past', host: maker })
    expect((await create({}, maker)).status).toBe(201)
    expect(await readFailure(await create({}, maker))).toMatchObject({ status: 409, code: 4090 })
  })
})

describe('lists of jams', () => {
  const list = async (query: string) =>
    (await readData<Paged<JamSummary>>(await server.fetch(`/api/v1/public/jams?${query}`))).items

  test('are by state, what is next first, and leave out drafts and unlisted ones', async () => {
    await server.deps.db.delete(jams)
    const states = ['coming', 'running', 'voting', 'past'] as const
    const made = await Promise.all(states.map((state) => insertJam(server, { state })))
    const hidden = await Promise.all([
      insertJam(server, { state: 'running', visibility: 'unlisted' }),
      insertJam(server, { state: 'running', visibility: 'draft' }),
    ])
    for (const [index, state] of states.entries()) {
      const items = await list(`state=${state}&page_size=50`)
      expect(items.map(({ uid }) => uid)).toContain(made[index]?.uid ?? '')
      expect(new Set(items.map((item) => item.state))).toEqual(new Set([state]))
    }
    const all = (await list('page_size=50')).map(({ uid }) => uid)
    for (const { uid } of made) expect(all).toContain(uid)
    for (const { uid } of hidden) expect(all).not.toContain(uid)
    expect((await server.fetch(`/api/v1/public/jams/${hidden[0]?.slug}`)).status).toBe(200)
    const sooner = await insertJam(server, { state: 'running', endsAt: new Date(inHours(1)) })
    expect((await list('state=running&page_size=1'))[0]?.uid).toBe(sooner.uid)
    expect((await list('state=unknown&page_size=1'))[0]?.uid).toBeString()
  })

  test('of an account have drafts only for hosts', async () => {
    const person = await signUp(server)
    const [hosted, other] = [
      await insertJam(server, { visibility: 'draft' }),
      await insertJam(server, { visibility: 'draft' }),
    ]
    await insertHost(server, hosted, person)
    const { items } = await readData<Paged<JamSummary>>(await person.fetch('/api/v1/private/jams'))
    expect(items.map(({ uid }) => uid)).toEqual([hosted.uid])
    expect((await person.fetch(jamsPath(other))).status).toBe(404)
  })
})
