import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { gameAdmins } from '../../../../src/db/schema/games/game-pages.ts'
import { LIMITS } from '../../../../src/domain/limit-table.ts'
import type { Invite } from '../../../../src/features/listings/team/model.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let other: Person
let guest: Person
let game: GameRow
let inviteUid: string
beforeAll(async () => {
  ;[owner, other] = await Promise.all([signUp(server, 'Olga Owner'), signUp(server)])
})
beforeEach(async () => {
  guest = await signUp(server)
  game = await insertGame(server, owner)
  inviteUid = await insertInvite(game)
})

type Invites = Paged<Invite>

const PATH = '/api/v1/private/invites'
const answerTo = (uid: string, verb: 'accept' | 'decline', by: Person) =>
  by.json('POST', `${PATH}/${uid}/${verb}`)
const readTeam = (by: Person) => by.fetch(`/api/v1/private/games/${game.uid}/admins`)

async function insertInvite(to: GameRow): Promise<string> {
  await insertAdmin(server, to.uid, guest, 'invited')
  const [row] = await server.deps.db
    .select()
    .from(gameAdmins)
    .where(and(eq(gameAdmins.gameUid, to.uid), eq(gameAdmins.userUid, guest.uid)))
  return row?.uid ?? ''
}

describe('own invites', () => {
  test('show the listing, who invited and when', async () => {
    expect(await readData<Invites>(await guest.fetch(PATH))).toEqual({
      items: [
        {
          uid: inviteUid,
          game: { uid: game.uid, vanity_name: game.vanityName, name: game.name },
          invited_by: expect.stringMatching(/^olga-owner/),
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
          accepted_at: null,
        },
      ],
      total: 1,
      page: 1,
      page_size: 20,
    })
    expect(await readData<Invites>(await other.fetch(PATH))).toMatchObject({ items: [], total: 0 })
  })

  test('are paged, newest first, without accepted ones', async () => {
    const second = await insertGame(server, owner)
    await insertInvite(second)
    await insertAdmin(server, (await insertGame(server, owner)).uid, guest, 'accepted')
    const newest = await readData<Invites>(await guest.fetch(`${PATH}?page_size=1`))
    expect(newest).toMatchObject({ total: 2, items: [{ game: { uid: second.uid } }] })
    const oldest = await readData<Invites>(await guest.fetch(`${PATH}?page_size=1&page=2`))
    expect(oldest).toMatchObject({ total: 2, items: [{ game: { uid: game.uid } }] })
  })

  test('need a session: 401/4010', async () => {
    expect(await readFailure(await server.fetch(PATH))).toMatchObject({ status: 401, code: 4010 })
  })
})

describe('accepting', () => {
  test('opens the draft, which was missing before', async () => {
    expect(await readFailure(await readTeam(guest))).toMatchObject({ status: 404, code: 4040 })
    const answer = await answerTo(inviteUid, 'accept', guest)
    expect(answer.status).toBe(200)
    expect(await readData(answer)).toMatchObject({
      uid: inviteUid,
      game: { uid: game.uid },
      accepted_at: expect.stringMatching(/Z$/),
    })
    expect((await readTeam(guest)).status).toBe(200)
    expect(await readData<Invites>(await guest.fetch(PATH))).toMatchObject({ items: [], total: 0 })
  })

  test('again answers 200 and keeps the first moment', async () => {
    const first = await readData(await answerTo(inviteUid, 'accept', guest))
    const again = await answerTo(inviteUid, 'accept', guest)
    expect(again.status).toBe(200)
    expect(await readData(again)).toEqual(first)
  })
})

describe('declining', () => {
  test('deletes the invite; the owner may invite again', async () => {
    const answer = await answerTo(inviteUid, 'decline', guest)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ success: true, data: {} })
    expect(await readData<Invites>(await guest.fetch(PATH))).toMatchObject({ items: [], total: 0 })
    for (const verb of ['accept', 'decline'] as const) {
      expect((await answerTo(inviteUid, verb, guest)).status).toBe(404)
    }
    const { username } = await readData<{ username: string }>(await guest.fetch('/api/v1/private/me'))
    const path = `/api/v1/private/games/${game.uid}/admins`
    expect((await owner.json('POST', path, { username })).status).toBe(201)
  })

  test('what was accepted is 404/4040 and changes nothing', async () => {
    await answerTo(inviteUid, 'accept', guest)
    expect(await readFailure(await answerTo(inviteUid, 'decline', guest))).toMatchObject({
      status: 404,
      code: 4040,
    })
    expect((await readTeam(guest)).status).toBe(200)
  })
})

describe.each(['accept', 'decline'] as const)('to %s', (verb) => {
  test.each([
    ["someone else's invite", () => inviteUid, () => other],
    ['an invite the owner made', () => inviteUid, () => owner],
    ['an unknown invite', () => createUid(), () => guest],
    ['what is no uid', () => 'soon', () => guest],
  ])('%s is 404/4040', async (_, uid, by) => {
    expect(await readFailure(await answerTo(uid(), verb, by()))).toMatchObject({ status: 404, code: 4040 })
    expect(await readData<Invites>(await guest.fetch(PATH))).toMatchObject({ total: 1 })
  })
})

describe('at the same time', () => {
  test('accepting and being removed ends without access, whoever was first', async () => {
    for (let round = 0; round < 10; round += 1) {
      if (round > 0) inviteUid = await insertInvite(game)
      const removal = `/api/v1/private/games/${game.uid}/admins/${guest.uid}`
      const [accepted, removed] = await Promise.all([
        answerTo(inviteUid, 'accept', guest),
        owner.json('DELETE', removal),
      ])
      expect([200, 404]).toContain(accepted.status)
      expect(removed.status).toBe(200)
      expect((await readTeam(guest)).status).toBe(404)
    }
  })

  test('accepting and declining: exactly one of them happens', async () => {
    for (let round = 0; round < 10; round += 1) {
      const target = await insertGame(server, owner)
      const uid = await insertInvite(target)
      const answers = await Promise.all([answerTo(uid, 'accept', guest), answerTo(uid, 'decline', guest)])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
      const rows = await server.deps.db.select().from(gameAdmins).where(eq(gameAdmins.uid, uid))
      expect(rows).toHaveLength(answers[0].status === 200 ? 1 : 0)
    }
  })
})

test('invitations are counted per account, whatever listing they are for', async () => {
  const limits: (string | null)[] = []
  for (let number = 0; number < 50; number += 1) {
    const path = `/api/v1/private/games/no-such-game-${number}/admins`
    const answer = await owner.json('POST', path, { username: 'nobody' })
    limits.push(answer.headers.get('ratelimit-limit'))
  }
  // Writes to one listing have a lower limit, which is told until that of the day is closer to its end.
  expect(limits.at(-1)).toBe(String(LIMITS.invite.max))
})
