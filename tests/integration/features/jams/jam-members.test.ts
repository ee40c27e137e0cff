import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { jamCodes, jamMembers } from '../../../../src/db/schema/jams.ts'
import type { JamCode, NewJamCode, NewLateLink } from '../../../../src/features/jams/codes/model.ts'
import type { OwnJam } from '../../../../src/features/jams/jams/model.ts'
import type { Participant } from '../../../../src/features/jams/members/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { inHours, insertJam, jamsPath, moveJam, readJam, timesOf } from '../../../helpers/jams/jams.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const host = usePerson(server)

type Ref = { uid: string }
const join = (person: Person, jam: Ref, body: object = {}) =>
  person.json('POST', jamsPath(jam, '/join'), body)
const leave = (person: Person, jam: Ref) => person.json('POST', jamsPath(jam, '/leave'))
const countMembers = (jam: Ref) => server.deps.db.$count(jamMembers, eq(jamMembers.jamUid, jam.uid))
const makeCode = async (jam: Ref, body: object = {}) =>
  await readData<NewJamCode>(await host.json('POST', jamsPath(jam, '/manage/codes'), body))

describe('joining', () => {
  test('lists the name, can be repeated, and ends with leaving', async () => {
    const jam = await insertJam(server)
    const [first, second] = await Promise.all([signUp(server), signUp(server)])
    expect(await readData<OwnJam>(await join(first, jam))).toMatchObject({ joined: true, participants: 1 })
    expect((await join(first, jam)).status).toBe(200)
    await join(second, jam)
    const path = `/api/v1/public/jams/${jam.slug}/participants`
    const names = async () =>
      (await readData<Paged<Participant>>(await server.fetch(path))).items.map(({ username }) => username)
    expect(await names()).toEqual([await usernameOf(first), await usernameOf(second)])
    expect((await readData<OwnJam>(await leave(first, jam))).joined).toBe(false)
    expect((await leave(first, jam)).status).toBe(200)
    expect(await names()).toEqual([await usernameOf(second)])
    expect((await readJam(server, jam.uid)).participants).toBe(1)
  })

  test('is open until all is over, and needs a session', async () => {
    const person = await signUp(server)
    for (const state of ['coming', 'running', 'voting'] as const)
      expect((await join(person, await insertJam(server, { state }))).status).toBe(200)
    const past = await insertJam(server, { state: 'past' })
    expect(await readFailure(await join(person, past))).toMatchObject({
      status: 409,
      code: 4121,
      data: { state: 'past', opens_at: null, closes_at: past.votingEndsAt?.toISOString() },
    })
    const draft = await insertJam(server, { visibility: 'draft' })
    expect((await join(person, draft)).status).toBe(404)
    expect((await server.fetch(jamsPath(draft, '/join'), { method: 'POST' })).status).toBe(401)
  })

  test('ends with the account', async () => {
    const jam = await insertJam(server)
    const person = await signUp(server)
    await join(person, jam)
    await person.json('DELETE', '/api/v1/private/me', { password: person.password })
    expect(await countMembers(jam)).toBe(0)
  })
})

describe('codes of an invited jam', () => {
  test('admit as many people as they say, and whoever hosts it needs none', async () => {
    const jam = await insertJam(server, { host, entry: 'invited' })
    const people = await Promise.all(Array.from({ length: 4 }, () => signUp(server)))
    const [first, ...others] = people
    if (!first) throw new Error('Nobody signed up')
    expect(await readFailure(await join(first, jam))).toMatchObject({
      status: 400,
      data: { issues: [{ path: 'code' }] },
    })
    const { code, hint } = await makeCode(jam, { uses: 2, label: 'For the club' })
    expect(code.startsWith(hint)).toBe(true)
    expect((await join(first, jam, { code: code.toUpperCase().replaceAll('-', ' ') })).status).toBe(200)
    expect((await join(first, jam, { code })).status).toBe(200)
    const answers = await Promise.all(others.map((person) => join(person, jam, { code })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404])
    expect(await countMembers(jam)).toBe(2)
    expect((await join(host, jam)).status).toBe(200)
  })

  test('all fail alike: wrong, used, expired, ended, of another jam, a late link', async () => {
    const jam = await insertJam(server, { host, entry: 'invited', ...timesOf('running') })
    const other = await insertJam(server, { host, entry: 'invited' })
    const [ended, expired, foreign] = [await makeCode(jam), await makeCode(jam), await makeCode(other)]
    await host.json('DELETE', jamsPath(jam, `/manage/codes/${ended.uid}`))
    await server.deps.db
      .update(jamCodes)
      .set({ expiresAt: new Date(inHours(-1)) })
      .where(eq(jamCodes.uid, expired.uid))
    const late = await readData<NewLateLink>(await host.json('POST', jamsPath(jam, '/manage/late-links'), {}))
    const person = await signUp(server)
    const failures = []
    for (const code of ['wrong', ended.code, expired.code, foreign.code, late.code])
      failures.push(await readFailure(await join(person, jam, { code })))
    expect(new Set(failures.map(({ status, code, message }) => `${status} ${code} ${message}`)).size).toBe(1)
    expect(failures[0]).toMatchObject({ status: 404, code: 4119 })
    expect(await countMembers(jam)).toBe(0)
  })

  test('are listed for hosts without the code, bounded, and checked', async () => {
    const jam = await insertJam(server, { host, entry: 'invited' })
    const path = jamsPath(jam, '/manage/codes')
    const made = await makeCode(jam, { label: 'One', expires_at: inHours(2) })
    const answer = await host.fetch(path)
    const text = await answer.clone().text()
    expect(text).not.toContain(made.code)
    const { items } = await readData<Paged<JamCode>>(answer)
    expect(items).toMatchObject([{ uid: made.uid, label: 'One', uses: 1, used: 0, hint: made.hint }])
    for (const [body, field] of [
      [{ uses: 0 }, 'uses'],
      [{ uses: 10_001 }, 'uses'],
      [{ label: 'x'.repeat(81) }, 'label'],
      [{ expires_at: inHours(-1) }, 'expires_at'],
      [{ expires_at: inHours(24 * 400) }, 'expires_at'],
    ] as const)
      expect(await readFailure(await host.json('POST', path, body))).toMatchObject({
        status: 400,
        data: { issues: [{ path: field }] },
      })
    expect((await host.json('DELETE', `${path}/${crypto.randomUUID()}`)).status).toBe(404)
    const stranger = await signUp(server)
    expect((await stranger.fetch(path)).status).toBe(403)
    expect((await stranger.json('POST', path, {})).status).toBe(403)
  })
})

describe('late links', () => {
  const make = (jam: Ref, body: object = {}) => host.json('POST', jamsPath(jam, '/manage/late-links'), body)

  test('are for one use, expire, and are listed under Changes without whom they are for', async () => {
    const jam = await insertJam(server, { host, state: 'voting' })
    const link = await readData<NewLateLink>(await make(jam, { label: 'For Kim' }))
    expect(link).toMatchObject({ uses: 1, used: 0, url: `${server.url}/jams/${jam.slug}/late/${link.code}` })
    expect(Date.parse(link.expires_at) - Date.now()).toBeWithin(23 * 3_600_000, 25 * 3_600_000)
    expect((await host.json('DELETE', jamsPath(jam, `/manage/late-links/${link.uid}`))).status).toBe(200)
    const texts = (await readJam(server, jam.uid)).changes.map(({ text }) => text)
    expect(texts[0]).toBe('The hosts ended a late link.')
    expect(texts[1]).toMatch(/^The hosts gave one person a late link, which works until .* UTC\.$/)
    expect(texts.join(' ')).not.toContain('Kim')
    expect((await make(jam, { expires_at: inHours(24 * 15) })).status).toBe(400)
  })

  test('are not given before the start or after the voting', async () => {
    const jam = await insertJam(server, { host })
    expect((await readFailure(await make(jam))).code).toBe(4121)
    await moveJam(server, jam, timesOf('past'))
    expect((await readFailure(await make(jam))).code).toBe(4121)
    await moveJam(server, jam, { votingEndsAt: null })
    expect((await make(jam)).status).toBe(201)
  })
})
