import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { gameAdmins } from '../../../../src/db/schema/games/game-pages.ts'
import type { Admin } from '../../../../src/features/listings/team/model.ts'
import { loadQueueState } from '../../../../src/jobs/queue.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { readMails, waitForMail } from '../../../helpers/mails.ts'
import { type Person, signUp, unnamed, usernameOf } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

type Role = 'owner' | 'admin' | 'invited' | 'other'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
let people: Record<Role | 'guest', Person>
let guestName: string
let game: GameRow
beforeAll(async () => {
  const [owner, admin, invited, other, guest] = await Promise.all([
    signUp(server, 'Olga Owner'),
    signUp(server),
    signUp(server),
    signUp(server),
    signUp(server, 'Gus Guest'),
  ])
  people = { owner, admin, invited, other, guest }
  guestName = await usernameOf(guest)
})
beforeEach(async () => {
  game = await insertTeamGame()
})

const pathOf = (of: GameRow) => `/api/v1/private/games/${of.uid}/admins`
const invite = (by: Person, username: unknown, to = game) => by.json('POST', pathOf(to), { username })
const remove = (by: Person, userUid: string) => by.json('DELETE', `${pathOf(game)}/${userUid}`)
const rowsOf = (of: GameRow) => server.deps.db.select().from(gameAdmins).where(eq(gameAdmins.gameUid, of.uid))

/** With one accepted and one invited admin. */
async function insertTeamGame(values: Parameters<typeof insertGame>[2] = {}): Promise<GameRow> {
  const made = await insertGame(server, people.owner, values)
  await insertAdmin(server, made.uid, people.admin, 'accepted')
  await insertAdmin(server, made.uid, people.invited, 'invited')
  return made
}

/** Plain rows: none of them has to sign in. */
async function insertUsers(count: number): Promise<{ id: string; username: string }[]> {
  const rows = Array.from({ length: count }, () => {
    const id = createUid()
    return { id, name: 'Someone', email: `${id}@example.org`, username: id.slice(-12) }
  })
  await server.deps.db.insert(users).values(rows)
  return rows
}

describe('inviting an admin', () => {
  test('answers 201 with the invite, and mails the invited person a link to their invites', async () => {
    const named = await insertGame(server, people.owner, { name: 'The Last Lamp' })
    const answer = await invite(people.owner, guestName, named)
    expect(answer.status).toBe(201)
    expect(await readData(answer)).toEqual({
      user_uid: people.guest.uid,
      ...unnamed(guestName),
      display_name: 'Gus Guest',
      state: 'invited',
      invited_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
      accepted_at: null,
    })
    const mail = await waitForMail(server, people.guest.email, 'You are invited to help run a listing')
    expect(mail.link).toBe(`${server.url}/dashboard/invites`)
    expect(mail.text).toContain('Hello Gus Guest')
    expect(mail.text).toContain(
      `Olga Owner (${await usernameOf(people.owner)}) invites you to help run "The Last Lamp"`,
    )
  })

  test('again answers 200 with the same invite', async () => {
    const first = await readData<Admin>(await invite(people.owner, guestName))
    const again = await invite(people.owner, guestName)
    expect(again.status).toBe(200)
    expect(await readData<Admin>(again)).toEqual(first)
  })

  test('who is an admin already answers 200 and stays accepted', async () => {
    const answer = await invite(people.owner, await usernameOf(people.admin))
    expect(answer.status).toBe(200)
    expect(await readData<Admin>(answer)).toMatchObject({ state: 'accepted' })
  })

  test('takes a vanity name as well as a uid', async () => {
    const answer = await people.owner.json('POST', `/api/v1/private/games/${game.vanityName}/admins`, {
      username: guestName,
    })
    expect(answer.status).toBe(201)
  })

  test('the owner themself is 400/4000 on username', async () => {
    await expectIssue(await invite(people.owner, await usernameOf(people.owner)))
  })

  test.each([
    ['an unknown username', 'nobody-at-all'],
    ['an empty username', ''],
    ['a username in capitals', 'NOBODY'],
    ['a number', 7],
    ['no username', undefined],
  ])('%s is 400/4000 on username', async (_, username) => {
    await expectIssue(await invite(people.owner, username))
  })

  test('an unknown field is 400/4000', async () => {
    const body = { username: guestName, role: 'owner' }
    expect(await readFailure(await people.owner.json('POST', pathOf(game), body))).toMatchObject({
      status: 400,
      code: 4000,
    })
  })

  test('a listing has at most 20 admins, invited ones counted', async () => {
    const full = await insertGame(server, people.owner)
    const crowd = await insertUsers(21)
    const [last, ...first] = crowd
    await server.deps.db
      .insert(gameAdmins)
      .values(first.slice(1).map(({ id }) => ({ gameUid: full.uid, userUid: id })))
    expect(await rowsOf(full)).toHaveLength(19)
    expect((await invite(people.owner, first[0]?.username, full)).status).toBe(201)
    await expectIssue(await invite(people.owner, last?.username, full))
    expect((await invite(people.owner, first[0]?.username, full)).status).toBe(200)
  })

  async function expectIssue(answer: Response): Promise<void> {
    const body = await readJson<{ error: { code: number }; data: { issues: { path: string }[] } }>(answer)
    expect([answer.status, body.error.code]).toEqual([400, 4000])
    expect(body.data.issues.map(({ path }) => path)).toContain('username')
  }
})

describe('who may see and change the team', () => {
  const table: [Role, GameRow['visibility'], statuses: number[]][] = [
    ['owner', 'draft', [200, 201, 200]],
    ['owner', 'public', [200, 201, 200]],
    ['admin', 'draft', [200, 403, 403]],
    ['admin', 'owner', [200, 403, 403]],
    ['admin', 'public', [200, 403, 403]],
    ['invited', 'draft', [404, 404, 404]],
    ['invited', 'public', [403, 403, 403]],
    ['other', 'draft', [404, 404, 404]],
    ['other', 'owner', [404, 404, 404]],
    ['other', 'public', [403, 403, 403]],
  ]
  test.each(table)(
    'the %s on a listing that is %s: list, invite, remove %p',
    async (role, visibility, statuses) => {
      const target = await insertTeamGame({ visibility })
      const caller = people[role]
      const answers = [
        await caller.fetch(pathOf(target)),
        await invite(caller, guestName, target),
        await caller.json('DELETE', `${pathOf(target)}/${people.invited.uid}`),
      ]
      expect(answers.map(({ status }) => status)).toEqual(statuses)
      for (const answer of answers.filter(({ status }) => status >= 400)) {
        expect((await readFailure(answer)).code).toBe(answer.status === 403 ? 4030 : 4040)
      }
    },
  )

  test('without a session it is 401/4010', async () => {
    expect(await readFailure(await server.fetch(pathOf(game)))).toMatchObject({ status: 401, code: 4010 })
  })

  test('the list is paged, in the order of the invites', async () => {
    const first = await readData(await people.owner.fetch(`${pathOf(game)}?page_size=1`))
    expect(first).toMatchObject({ total: 2, page: 1, page_size: 1, items: [{ state: 'accepted' }] })
    const second = await readData(await people.admin.fetch(`${pathOf(game)}?page_size=1&page=2`))
    expect(second).toMatchObject({
      total: 2,
      page: 2,
      items: [{ user_uid: people.invited.uid, state: 'invited', accepted_at: null }],
    })
  })
})

describe('removing an admin', () => {
  test('the owner removes invited and accepted ones alike', async () => {
    for (const person of [people.invited, people.admin]) {
      const answer = await remove(people.owner, person.uid)
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual({ success: true, data: {} })
    }
    expect(await rowsOf(game)).toEqual([])
    expect((await people.admin.fetch(pathOf(game))).status).toBe(404)
  })

  test('an admin may leave', async () => {
    expect((await remove(people.admin, people.admin.uid)).status).toBe(200)
    expect((await people.admin.fetch(pathOf(game))).status).toBe(404)
  })

  test.each([
    ['someone who is no admin', () => people.other.uid],
    ['the owner', () => people.owner.uid],
    ['nobody', () => createUid()],
    ['what is no uid', () => 'someone'],
  ])('%s is 404/4040', async (_, uid) => {
    expect(await readFailure(await remove(people.owner, uid()))).toMatchObject({ status: 404, code: 4040 })
  })
})

describe('at the same time', () => {
  test('many invites of one person make one invite and one mail', async () => {
    const target = await insertGame(server, people.owner, { name: 'Invited at once' })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => invite(people.owner, guestName, target)),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 200, 200, 200, 200, 200, 200, 201,
    ])
    expect(await rowsOf(target)).toHaveLength(1)
    await waitFor('every mail is sent', async () => (await loadQueueState(server.deps.db)).queued === 0)
    const mails = (await readMails(server)).filter(({ text }) => text.includes('Invited at once'))
    expect(mails).toHaveLength(1)
  })

  test('only one of many takes the last place', async () => {
    const target = await insertGame(server, people.owner)
    const crowd = await insertUsers(24)
    await server.deps.db
      .insert(gameAdmins)
      .values(crowd.slice(5).map(({ id }) => ({ gameUid: target.uid, userUid: id })))
    const answers = await Promise.all(
      crowd.slice(0, 5).map(({ username }) => invite(people.owner, username, target)),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400, 400])
    expect(await rowsOf(target)).toHaveLength(20)
  })
})
