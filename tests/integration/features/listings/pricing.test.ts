import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { editions } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { Edition } from '../../../../src/features/listings/pricing/model.ts'
import { listActiveEditions } from '../../../../src/features/listings/pricing/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { EDITORS, insertTeamGame, type People, signUpRoles } from '../../../helpers/roles.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let people: People
let game: GameRow
beforeAll(async () => {
  people = await signUpRoles(server)
})
beforeEach(async () => {
  game = await insertGame(server, people.owner)
})

const DELUXE = { name: 'Deluxe', price_cents: 1499 }
const pathOf = (of: GameRow) => `/api/v1/private/games/${of.uid}/editions`
const add = (body: unknown, by = people.owner) => by.json('POST', pathOf(game), body)
const addDeluxe = async () => await readData<Edition>(await add(DELUXE))
const change = (uid: string, patch: unknown) => people.owner.json('PATCH', `${pathOf(game)}/${uid}`, patch)
const remove = (uid: string) => people.owner.json('DELETE', `${pathOf(game)}/${uid}`)
const list = async (query = '') =>
  await readData<{ items: Edition[]; total: number }>(await people.owner.fetch(pathOf(game) + query))

async function setAnonymous(enabled: boolean): Promise<void> {
  await server.deps.db.update(games).set({ anonymousDownloads: enabled }).where(eq(games.uid, game.uid))
}

async function insertEditions(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    gameUid: game.uid,
    name: `Edition ${index}`,
    priceCents: 499,
  }))
  await server.deps.db.insert(editions).values(rows)
}

describe('adding an edition', () => {
  test('answers 201 with the edition, active unless told, and moves updated_at', async () => {
    const answer = await add(DELUXE)
    expect(answer.status).toBe(201)
    const made = await readData<Edition>(answer)
    expect(made).toEqual({
      uid: expect.any(String),
      ...DELUXE,
      active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
    })
    expect(await list()).toMatchObject({ items: [made], total: 1 })
    const [row] = await server.deps.db.select().from(games).where(eq(games.uid, game.uid))
    expect(row?.updatedAt.getTime()).toBeGreaterThan(game.updatedAt.getTime())
  })

  test.each([
    ['the lowest price', { name: 'x', price_cents: 99 }],
    ['the highest price', { name: 'x', price_cents: 9999 }],
    ['a name of 80 characters', { name: 'x'.repeat(80), price_cents: 500 }],
    ['an edition that is put away', { name: 'x', price_cents: 500, active: false }],
  ])('%s is taken', async (_, body) => {
    expect(await readData(await add(body))).toMatchObject(body)
  })

  test('the name is trimmed', async () => {
    expect(await readData(await add({ ...DELUXE, name: '  Deluxe \n' }))).toMatchObject({ name: 'Deluxe' })
  })

  test.each([
    ['98 cents', { price_cents: 98 }, 'price_cents'],
    ['10000 cents', { price_cents: 10_000 }, 'price_cents'],
    ['free', { price_cents: 0 }, 'price_cents'],
    ['half a cent', { price_cents: 99.5 }, 'price_cents'],
    ['a price as text', { price_cents: '500' }, 'price_cents'],
    ['no price', { price_cents: undefined }, 'price_cents'],
    ['an empty name', { name: '' }, 'name'],
    ['a blank name', { name: '   ' }, 'name'],
    ['a name of 81 characters', { name: 'x'.repeat(81) }, 'name'],
    ['no name', { name: undefined }, 'name'],
    ['a text for active', { active: 'yes' }, 'active'],
    ['an unknown field', { colour: 'gold' }, 'colour'],
  ])('%s is 400/4000', async (_, fault, path) => {
    await expectIssue(await add({ ...DELUXE, ...fault }), path)
    expect((await list()).total).toBe(0)
  })

  test('a listing has at most 20 editions', async () => {
    await insertEditions(19)
    expect((await add(DELUXE)).status).toBe(201)
    await expectIssue(await add(DELUXE), '')
  })

  test('only one of many at once takes the last place', async () => {
    await insertEditions(19)
    const answers = await Promise.all(Array.from({ length: 5 }, () => add(DELUXE)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400, 400])
    expect((await list()).total).toBe(20)
  })
})

describe('changing and deleting an edition', () => {
  test('an absent field stays', async () => {
    const made = await addDeluxe()
    expect(await readData<Edition>(await change(made.uid, {}))).toEqual(made)
    expect(await readData<Edition>(await change(made.uid, { name: ' Gold ' }))).toEqual({
      ...made,
      name: 'Gold',
    })
    const answer = await change(made.uid, { price_cents: 99, active: false })
    expect(answer.status).toBe(200)
    const changed = { ...made, name: 'Gold', price_cents: 99, active: false }
    expect(await readData<Edition>(answer)).toEqual(changed)
    expect((await list()).items).toEqual([changed])
  })

  test.each([
    ['98 cents', { price_cents: 98 }, 'price_cents'],
    ['10000 cents', { price_cents: 10_000 }, 'price_cents'],
    ['free', { price_cents: 0 }, 'price_cents'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name of 81 characters', { name: 'x'.repeat(81) }, 'name'],
    ['null for a name', { name: null }, 'name'],
    ['an unknown field', { colour: 'gold' }, 'colour'],
  ])('%s is 400/4000', async (_, patch, path) => {
    await expectIssue(await change((await addDeluxe()).uid, patch), path)
  })

  test('deleting answers nothing, and the edition is gone', async () => {
    const { uid } = await addDeluxe()
    const answer = await remove(uid)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ success: true, data: {} })
    expect((await remove(uid)).status).toBe(404)
    expect((await list()).items).toEqual([])
  })

  test.each([
    ['an unknown edition', () => createUid()],
    ['what is no uid', () => 'deluxe'],
  ])('%s is 404/4040', async (_, uid) => {
    for (const answer of [await change(uid(), { name: 'x' }), await remove(uid())]) {
      expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4040 })
    }
  })

  test("another listing's edition is 404/4040", async () => {
    const { uid } = await addDeluxe()
    game = await insertGame(server, people.owner)
    expect((await change(uid, { name: 'Stolen' })).status).toBe(404)
    expect((await remove(uid)).status).toBe(404)
  })
})

describe('while anonymous downloads are on', () => {
  test.each([[true], [false]])('adding an edition with active %p is 409/4114', async (active) => {
    await setAnonymous(true)
    expect(await readFailure(await add({ ...DELUXE, active }))).toMatchObject({ status: 409, code: 4114 })
    expect((await list()).total).toBe(0)
  })

  test.each([
    ['a price', { price_cents: 500 }, 409],
    ['active true', { active: true }, 409],
    ['a name with active true', { name: 'Gold', active: true }, 409],
    ['a name', { name: 'Gold' }, 200],
    ['active false', { active: false }, 200],
  ])('changing %s of an edition that was put away: %p is %d', async (_, patch, status) => {
    const { uid } = await readData<Edition>(await add({ ...DELUXE, active: false }))
    await setAnonymous(true)
    const answer = await change(uid, patch)
    expect(answer.status).toBe(status)
    if (status === 409) expect((await readFailure(answer)).code).toBe(4114)
    expect((await list()).items).toMatchObject([
      { name: status === 409 ? 'Deluxe' : expect.any(String), active: false },
    ])
  })

  test('deleting is fine', async () => {
    const { uid } = await readData<Edition>(await add({ ...DELUXE, active: false }))
    await setAnonymous(true)
    expect((await remove(uid)).status).toBe(200)
  })
})

describe('who may see and change editions', () => {
  test.each(EDITORS)('the %s on a listing that is %s: refused with %p', async (role, visibility, refusal) => {
    game = await insertTeamGame(server, people, visibility)
    const { uid } = await addDeluxe()
    const caller = people[role]
    const one = `${pathOf(game)}/${uid}`
    const answers = [
      await caller.fetch(pathOf(game)),
      await add(DELUXE, caller),
      await caller.json('PATCH', one, { name: 'Gold' }),
      await caller.json('DELETE', one),
    ]
    const expected = refusal === null ? [200, 201, 200, 200] : Array.from(answers, () => refusal)
    expect(answers.map(({ status }) => status)).toEqual(expected)
  })
})

test('editions are listed in pages, and the page shows the active ones', async () => {
  const [first, second] = [await addDeluxe(), await addDeluxe()]
  await change(first.uid, { active: false })
  expect(await list('?page_size=1&page=2')).toMatchObject({ items: [{ uid: second.uid }], total: 2 })
  expect(await listActiveEditions(server.deps.db, game.uid)).toEqual([second])
})

async function expectIssue(answer: Response, path: string): Promise<void> {
  const body = await readJson<{ error: { code: number }; data: { issues: { path: string }[] } }>(answer)
  expect([answer.status, body.error.code]).toEqual([400, 4000])
  expect(body.data.issues.map((issue) => issue.path)).toContain(path)
}
