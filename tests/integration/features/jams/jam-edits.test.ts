import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { jamEntries, jams } from '../../../../src/db/schema/jams.ts'
import { operatorActs } from '../../../../src/db/schema/operate.ts'
import type { JamVisibility } from '../../../../src/domain/jams.ts'
import type { OwnJam } from '../../../../src/features/jams/jams/model.ts'
import { removeObjects } from '../../../../src/features/storage/service.ts'
import { drawPng, send } from '../../../helpers/files/pictures.ts'
import {
  editJam,
  inHours,
  insertHost,
  insertJam,
  jamsPath,
  makeJam,
  moveJam,
  readJam,
  readOwnJam,
  timesOf,
} from '../../../helpers/jams/jams.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import { signUp, usernameOf } from '../../../helpers/people.ts'
import { ageConfirmation } from '../../../helpers/sign-in/factors.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const host = usePerson(server)
const operator = usePerson(server, signUpOperator)
const player = usePerson(server)

const listActs = async (uid: string) =>
  await server.deps.db.select().from(operatorActs).where(eq(operatorActs.subjectId, uid))

describe('before the start', () => {
  test('hosts change everything, and nothing of it is listed', async () => {
    const jam = await insertJam(server, { host })
    const slug = `renamed-${jam.slug}`
    const patch = {
      slug,
      title: 'Renamed',
      voters: 'everyone',
      starts_at: inHours(48),
      visibility: 'unlisted',
    }
    const answer = await editJam(host, jam, patch)
    expect(answer.headers.get('etag')).toBe('"2"')
    expect(await readData<OwnJam>(answer)).toMatchObject({ ...patch, changes: [] })
    expect(await listActs(jam.uid)).toEqual([])
    expect((await server.fetch(`/api/v1/public/jams/${jam.slug}`)).status).toBe(404)
  })

  test('an edit of an older version is refused, and one that changes nothing is no version', async () => {
    const jam = await insertJam(server, { host })
    const other = await signUp(server)
    await insertHost(server, jam, other)
    expect((await editJam(host, jam, { title: 'Mine' }, { 'if-match': '"1"' })).status).toBe(200)
    const stale = await readFailure(await editJam(other, jam, { title: 'Theirs' }, { 'if-match': '"1"' }))
    expect(stale).toMatchObject({ status: 412, code: 4120 })
    const same = await editJam(other, jam, { title: 'Mine' }, { 'if-match': '"2"' })
    expect([same.status, same.headers.get('etag')]).toEqual([200, '"2"'])
  })

  test('of two hosts who edit the same version at once one is told', async () => {
    const jam = await insertJam(server, { host })
    const answers = await Promise.all(
      ['One', 'Two', 'Three'].map((title) => editJam(host, jam, { title }, { 'if-match': '"1"' })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412])
  })

  test('a draft whose start has passed can still be changed and moved', async () => {
    const jam = await insertJam(server, { host, visibility: 'draft', ...timesOf('past') })
    expect((await editJam(host, jam, { title: 'Late' })).status).toBe(200)
    const early = await readFailure(await editJam(host, jam, { visibility: 'public' }))
    expect(early).toMatchObject({ status: 400, data: { issues: [{ path: 'ends_at' }] } })
    const times = { starts_at: inHours(1), ends_at: inHours(5), voting_ends_at: inHours(9) }
    expect((await editJam(host, jam, { ...times, visibility: 'public' })).status).toBe(200)
  })
})

describe('after the start', () => {
  const CHANGES: [string, object][] = [
    ['title', { title: 'Other' }],
    ['slug', { slug: 'another-slug' }],
    ['tagline', { tagline: 'Other' }],
    ['theme', { theme: 'Other' }],
    ['theme_hidden', { theme_hidden: true }],
    ['starts_at', { starts_at: inHours(-2) }],
    ['voting_ends_at', { voting_ends_at: null }],
    ['grace_minutes', { grace_minutes: 5 }],
    ['visibility', { visibility: 'draft' }],
    ['entry', { entry: 'invited' }],
    ['types', { types: ['game'] }],
    ['platforms', { platforms: ['web'] }],
    ['web_required', { web_required: true }],
    ['entries_per_person', { entries_per_person: 2 }],
    ['made_during', { made_during: true }],
    ['voters', { voters: 'everyone' }],
    ['criteria', { criteria: [{ name: 'Other' }] }],
    ['must_play', { must_play: false }],
    ['min_ratings', { min_ratings: 1 }],
  ]
  test.each(CHANGES)('%s stays as it is', async (_, patch) => {
    const jam = await insertJam(server, { state: 'running', host })
    const failure = await readFailure(await editJam(host, jam, patch))
    expect(failure).toMatchObject({
      status: 409,
      code: 4121,
      data: { state: 'running', opens_at: null, closes_at: jam.startsAt.toISOString() },
    })
    expect(await listActs(jam.uid)).toEqual([])
  })

  test('text, hosts, judges and later ends change, each listed and in the audit log', async () => {
    const jam = await insertJam(server, { state: 'running', host })
    const [marta, kim] = await Promise.all([signUp(server), signUp(server)])
    const [first, martaName, kimName] = await Promise.all([host, marta, kim].map(usernameOf))
    const ends_at = new Date(jam.endsAt.getTime() + 3_600_000).toISOString()
    const voting_ends_at = new Date((jam.votingEndsAt?.getTime() ?? 0) + 3_600_000).toISOString()
    const patch = { text: 'New rules', ends_at, voting_ends_at, hosts: [first, martaName], judges: [kimName] }
    expect((await editJam(host, jam, patch)).status).toBe(200)
    const shown = await readJam(server, jam.uid)
    const short = (time: string | Date | null) =>
      `${new Date(time ?? 0).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    expect(shown.changes.map(({ text }) => text).toSorted()).toEqual(
      [
        'The text was changed.',
        `The end moved from ${short(jam.endsAt)} to ${short(ends_at)}.`,
        `The end of the voting moved from ${short(jam.votingEndsAt)} to ${short(voting_ends_at)}.`,
        `${martaName} is a host now.`,
        `${kimName} is a judge now.`,
      ].toSorted(),
    )
    const acts = await listActs(jam.uid)
    expect(acts.map(({ reason }) => reason ?? '').toSorted()).toEqual(
      shown.changes.map(({ text }) => text).toSorted(),
    )
    expect(new Set(acts.map(({ act, operator: who }) => `${act} ${who}`))).toEqual(
      new Set([`change_jam ${first}`]),
    )
  })

  test('an end never moves earlier, nor once it has passed', async () => {
    const running = await insertJam(server, { state: 'running', host })
    const earlier = new Date(running.endsAt.getTime() - 60_000).toISOString()
    const refused = async (jam: { uid: string }, patch: object) =>
      (await readFailure(await editJam(host, jam, patch))).code
    expect(await refused(running, { ends_at: earlier })).toBe(4121)
    const earlierVoting = new Date((running.votingEndsAt?.getTime() ?? 0) - 60_000).toISOString()
    expect(await refused(running, { voting_ends_at: earlierVoting })).toBe(4121)
    const voting = await insertJam(server, { state: 'voting', host })
    expect(await refused(voting, { ends_at: inHours(5) })).toBe(4121)
    const past = await insertJam(server, { state: 'past', host })
    expect(await refused(past, { voting_ends_at: inHours(24 * 10) })).toBe(4121)
    const unranked = await insertJam(server, { state: 'running', host, votingEndsAt: null })
    expect(await refused(unranked, { voting_ends_at: inHours(24 * 9) })).toBe(4121)
    const tooLate = await readFailure(
      await editJam(host, running, { ends_at: new Date(running.votingEndsAt ?? 0).toISOString() }),
    )
    expect(tooLate).toMatchObject({ status: 400, data: { issues: [{ path: 'voting_ends_at' }] } })
  })

  test('is decided by the clock of the database: a jam that was moved is another one', async () => {
    const jam = await insertJam(server, { state: 'running', host })
    await moveJam(server, jam, timesOf('coming'))
    expect((await editJam(host, jam, { title: 'Moved' })).status).toBe(200)
    await moveJam(server, jam, timesOf('running'))
    expect((await editJam(host, jam, { title: 'Again' })).status).toBe(409)
    expect((await editJam(host, jam, { title: 'Moved' })).status).toBe(200)
  })
})

describe('the theme', () => {
  test('that is hidden is shown to hosts alone until the start', async () => {
    const jam = await insertJam(server, { host, theme: 'A secret light', themeHidden: true })
    const member = await signUp(server)
    await member.json('POST', jamsPath(jam, '/join'), {})
    for (const person of [member, operator])
      expect(await readOwnJam(person, jam.uid)).toMatchObject({ theme: null, theme_hidden: true })
    expect((await readOwnJam(host, jam.uid)).theme).toBe('A secret light')
    for (const path of [`/api/v1/public/jams/${jam.uid}`, '/api/v1/public/jams', '/jams', '/jams/feed.xml'])
      expect(await (await server.fetch(path)).text()).not.toContain('secret light')
    const page = await member.fetch(`/jams/${jam.slug}`, { headers: { accept: 'text/html' } })
    expect(await page.text()).not.toContain('secret light')
    await moveJam(server, jam, timesOf('running'))
    expect((await readJam(server, jam.uid)).theme).toBe('A secret light')
  })

  test('is not replaced by an operator who sends back what they saw', async () => {
    const jam = await insertJam(server, { host, theme: 'Kept', themeHidden: true })
    const seen = await readOwnJam(operator, jam.uid)
    expect((await editJam(operator, jam, { ...seen, title: 'By an operator' })).status).toBe(200)
    expect(await readOwnJam(host, jam.uid)).toMatchObject({ title: 'By an operator', theme: 'Kept' })
    expect((await editJam(operator, jam, { theme: 'Guessed' })).status).toBe(400)
  })
})

describe('hosts', () => {
  test('can leave, but not the last one', async () => {
    const jam = await insertJam(server, { host })
    const other = await signUp(server)
    const names = await Promise.all([host, other].map(usernameOf))
    await editJam(host, jam, { hosts: names })
    expect((await editJam(host, jam, { hosts: [names[1]] })).status).toBe(200)
    expect((await editJam(host, jam, { title: 'No longer' })).status).toBe(403)
    const refused = await readFailure(await editJam(other, jam, { hosts: [] }))
    expect(refused).toMatchObject({ status: 400, data: { issues: [{ path: 'hosts' }] } })
  })

  test('who delete their account leave the jam to the operators', async () => {
    const lone = await signUp(server)
    const jam = await insertJam(server, { host: lone, theme: 'Light', themeHidden: true })
    const answer = await lone.json('DELETE', '/api/v1/private/me', { password: lone.password })
    expect(answer.status).toBe(200)
    expect((await readJam(server, jam.uid)).hosts).toEqual([])
    expect((await readOwnJam(operator, jam.uid)).theme).toBe('Light')
    const hosts = [await usernameOf(operator)]
    expect((await editJam(operator, jam, { theme: 'Dark', hosts })).status).toBe(200)
  })

  test('are asked nothing that operators are asked who act for them', async () => {
    const jam = await insertJam(server, { host })
    const careless = await signUpOperator(server)
    await ageConfirmation(server, careless)
    await ageConfirmation(server, host)
    expect((await editJam(host, jam, { title: 'By the host' })).status).toBe(200)
    expect((await readFailure(await editJam(careless, jam, { title: 'Other' }))).code).toBe(4106)
    expect((await careless.json('DELETE', jamsPath(jam))).status).toBe(403)
    expect((await editJam(operator, jam, { title: 'By an operator' })).status).toBe(200)
    expect(await listActs(jam.uid)).toMatchObject([{ act: 'change_jam', reason: 'title changed.' }])
  })
})

describe('deleting', () => {
  const VISIBILITIES: [JamVisibility, number][] = [
    ['draft', 200],
    ['unlisted', 409],
    ['public', 409],
  ]
  test.each(VISIBILITIES)('a %s jam with entries answers %i', async (visibility, status) => {
    const jam = await insertJam(server, { state: 'running', host, visibility })
    const { uid: gameUid } = await insertPublicGame(server, host)
    await server.deps.db.insert(jamEntries).values({ jamUid: jam.uid, gameUid, submittedBy: host.uid })
    const answer = await host.json('DELETE', jamsPath(jam))
    expect(answer.status).toBe(status)
    if (status === 409) expect((await readFailure(answer)).code).toBe(4090)
    await server.deps.db.update(jamEntries).set({ withdrawnAt: new Date() })
    expect((await host.json('DELETE', jamsPath(jam))).status).toBe(status === 409 ? 200 : 404)
    expect(await server.deps.db.$count(jams, eq(jams.uid, jam.uid))).toBe(0)
  })
})

describe('the cover', () => {
  test('is cropped, replaced and removed, and its object goes with the last that has it', async () => {
    const [jam, other] = [await insertJam(server, { host }), await insertJam(server, { host })]
    const put = async (which: { uid: string }, person = host) =>
      await send(person, jamsPath(which, '/cover'), await drawPng(320, 240))
    const { cover } = await readData<OwnJam>(await put(jam))
    expect(cover).toMatch(/\/media\/[0-9a-f]{64}\.webp$/)
    expect((await server.fetch(new URL(cover ?? '').pathname)).status).toBe(200)
    expect((await readData<OwnJam>(await put(other))).cover).toBe(cover)
    const [row] = await server.deps.db.select().from(jams).where(eq(jams.uid, jam.uid))
    const keys = { keys: [row?.coverKey ?? ''] }
    expect((await host.json('DELETE', jamsPath(jam, '/cover'))).status).toBe(200)
    await removeObjects(server.deps, keys)
    expect((await server.fetch(new URL(cover ?? '').pathname)).status).toBe(200)
    await host.json('DELETE', jamsPath(other))
    await removeObjects(server.deps, keys)
    expect((await server.fetch(new URL(cover ?? '').pathname)).status).toBe(404)
    expect((await put(jam, player)).status).toBe(403)
    expect((await put(await insertJam(server, { visibility: 'draft' }), player)).status).toBe(404)
  })

  test('that changes after the start is listed, without a new version', async () => {
    const jam = await insertJam(server, { state: 'running', host })
    const path = jamsPath(jam, '/cover')
    expect((await send(host, path, await drawPng(32, 24))).status).toBe(200)
    expect((await send(host, path, await drawPng(32, 24))).status).toBe(200)
    await host.json('DELETE', path)
    const { changes } = await readJam(server, jam.uid)
    expect(changes.map(({ text }) => text)).toEqual(['The cover was removed.', 'The cover was changed.'])
    expect((await host.fetch(jamsPath(jam))).headers.get('etag')).toBe('"1"')
  })
})

test('a copy of what is stored about a person has their jams', async () => {
  const person = await signUp(server)
  const jam = await insertJam(server, { host: person, entry: 'invited' })
  await person.json('POST', jamsPath(jam, '/join'), {})
  await person.json('POST', jamsPath(jam, '/manage/codes'), { label: 'For friends' })
  await server.deps.db.update(users).set({ emailVerified: true }).where(eq(users.id, person.uid))
  const answer = await person.fetch('/api/v1/private/me/export')
  const { jams: exported } = await readData<{ jams: object }>(answer)
  expect(exported).toMatchObject({
    roles: [{ jam_uid: jam.uid, role: 'host' }],
    joined: [{ jam_uid: jam.uid }],
    codes: [{ jam_uid: jam.uid, label: 'For friends', late: false }],
  })
})

test('a jam that its maker publishes is there for everyone', async () => {
  const jam = await makeJam(operator)
  expect((await editJam(operator, jam, { visibility: 'public' })).status).toBe(200)
  expect((await readJam(server, jam.slug)).state).toBe('coming')
})
