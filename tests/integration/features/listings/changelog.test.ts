import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import type { ChangelogEntry } from '../../../../src/features/listings/changelog/model.ts'
import { listNewestChanges } from '../../../../src/features/listings/changelog/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
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

const ENTRY = { title: 'The lamp turns again', body: 'It **turns**.', version: '1.2.0' }
const pathOf = (of: GameRow) => `/api/v1/private/games/${of.uid}/changelog`
const add = (body: unknown, by = people.owner) => by.json('POST', pathOf(game), body)
const addTitled = async (title: string) => await readData<ChangelogEntry>(await add({ title, body: '' }))
const remove = (uid: string, by = people.owner) => by.json('DELETE', `${pathOf(game)}/${uid}`)
const list = async (query = '') =>
  await readData<Paged<ChangelogEntry>>(await people.owner.fetch(pathOf(game) + query))

describe('adding a changelog entry', () => {
  test('answers 201 with the entry and its Markdown as HTML, and moves updated_at', async () => {
    const answer = await add(ENTRY)
    expect(answer.status).toBe(201)
    expect(await readData<ChangelogEntry>(answer)).toEqual({
      uid: expect.any(String),
      ...ENTRY,
      items: [],
      body_html: expect.stringContaining('<strong>turns</strong>'),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
    })
    const [row] = await server.deps.db.select().from(games).where(eq(games.uid, game.uid))
    expect(row?.updatedAt.getTime()).toBeGreaterThan(game.updatedAt.getTime())
  })

  test('the body is stored as sent; title and version are trimmed', async () => {
    const entry = await readData(await add({ title: ' New ', body: '  <b>raw</b>\n', version: ' 2 ' }))
    expect(entry).toMatchObject({ title: 'New', body: '  <b>raw</b>\n', version: '2' })
    expect(entry).toMatchObject({ body_html: expect.not.stringContaining('<b>') })
  })

  test.each([
    ['no version', { version: undefined }, { version: null }],
    ['an empty body', { body: '' }, { body: '' }],
    ['a title of 255 characters', { title: 'x'.repeat(255) }, {}],
    ['a body of 8000 characters', { body: 'x'.repeat(8000) }, {}],
    ['a version of 32 characters', { version: 'x'.repeat(32) }, {}],
  ])('%s is taken', async (_, given, wanted) => {
    const answer = await add({ ...ENTRY, ...given })
    expect(answer.status).toBe(201)
    expect(await readData(answer)).toMatchObject(wanted)
  })

  test.each([
    ['no title', { title: undefined }],
    ['an empty title', { title: '' }],
    ['a blank title', { title: ' \n ' }],
    ['a title of 256 characters', { title: 'x'.repeat(256) }],
    ['no body', { body: undefined }],
    ['a body of 8001 characters', { body: 'x'.repeat(8001) }],
    ['an empty version', { version: '' }],
    ['a version of 33 characters', { version: 'x'.repeat(33) }],
    ['a number as version', { version: 2 }],
    ['an unknown field', { author: 'me' }],
  ])('%s is 400/4000', async (_, fault) => {
    expect(await readFailure(await add({ ...ENTRY, ...fault }))).toMatchObject({ status: 400, code: 4000 })
    expect((await list()).total).toBe(0)
  })
})

test('entries are listed in pages, newest first', async () => {
  const entries = [await addTitled('first'), await addTitled('second'), await addTitled('third')]
  expect(await list()).toEqual({ items: entries.toReversed(), total: 3, page: 1, page_size: 20 })
  expect(await list('?page=2&page_size=2')).toMatchObject({ items: [{ title: 'first' }], total: 3 })
  const newest = await listNewestChanges(server.deps.db, game.uid, 2)
  expect(newest.map(({ title }) => title)).toEqual(['third', 'second'])
})

describe('changing a changelog entry', () => {
  const ITEMS = [
    { title: 'The lamp turns', description: 'Slowly.' },
    { title: 'Stars', description: '' },
  ]
  const edit = (uid: string, body: unknown, by = people.owner) =>
    by.json('PATCH', `${pathOf(game)}/${uid}`, body)

  test('sets the fields that are sent and keeps the others', async () => {
    const before = await readData<ChangelogEntry>(await add(ENTRY))
    const after = await readData<ChangelogEntry>(await edit(before.uid, { title: ' Light ', items: ITEMS }))
    expect(after).toEqual({ ...before, title: 'Light', items: ITEMS })
    expect((await list()).items).toEqual([after])
    expect(await readData(await edit(before.uid, { version: null, body: '*slow*' }))).toMatchObject({
      title: 'Light',
      version: null,
      items: ITEMS,
      body_html: expect.stringContaining('<em>slow</em>'),
    })
  })

  test('takes back what was read, and nothing else of it', async () => {
    const entry = await readData<ChangelogEntry>(await add({ ...ENTRY, items: ITEMS }))
    expect(await readData<ChangelogEntry>(await edit(entry.uid, entry))).toEqual(entry)
    for (const field of ['uid', 'body_html', 'created_at']) {
      expect(await readFailure(await edit(entry.uid, { [field]: 'x' }))).toMatchObject({
        status: 400,
        code: 4000,
        message: expect.stringContaining(`${field} is read-only`),
      })
    }
  })

  test.each([
    ['a blank title', { title: ' ' }],
    ['101 changes', { items: Array.from({ length: 101 }, () => ({ title: 'x' })) }],
    ['a change without a title', { items: [{ description: 'x' }] }],
    ['an unknown field', { author: 'me' }],
  ])('%s is 400/4000', async (_, fault) => {
    const entry = await addTitled('there')
    expect(await readFailure(await edit(entry.uid, fault))).toMatchObject({ status: 400, code: 4000 })
    expect((await list()).items).toEqual([entry])
  })

  test("an unknown entry and another listing's are 404/4040", async () => {
    const { uid } = await addTitled('theirs')
    game = await insertGame(server, people.owner)
    for (const other of [uid, createUid(), 'first']) {
      expect(await readFailure(await edit(other, { title: 'x' }))).toMatchObject({ status: 404, code: 4040 })
    }
  })
})

describe('deleting a changelog entry', () => {
  test('answers nothing, and the entry is gone', async () => {
    const { uid } = await addTitled('mistake')
    const answer = await remove(uid)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ success: true, data: {} })
    expect((await list()).items).toEqual([])
    expect(await readFailure(await remove(uid))).toMatchObject({ status: 404, code: 4040 })
  })

  test.each([
    ['an unknown entry', () => createUid()],
    ['what is no uid', () => 'first'],
  ])('%s is 404/4040', async (_, uid) => {
    expect(await readFailure(await remove(uid()))).toMatchObject({ status: 404, code: 4040 })
  })

  test("another listing's entry is 404/4040", async () => {
    const { uid } = await addTitled('theirs')
    game = await insertGame(server, people.owner)
    expect((await remove(uid)).status).toBe(404)
  })

  test('twice at once: one of them did it', async () => {
    const { uid } = await addTitled('mistake')
    const answers = await Promise.all([remove(uid), remove(uid)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
  })
})

describe('who may read and write the changelog', () => {
  test.each(EDITORS)('the %s on a listing that is %s: refused with %p', async (role, visibility, refusal) => {
    game = await insertTeamGame(server, people, visibility)
    const { uid } = await addTitled('there')
    const caller = people[role]
    const answers = [await caller.fetch(pathOf(game)), await add(ENTRY, caller), await remove(uid, caller)]
    const expected = refusal === null ? [200, 201, 200] : Array.from(answers, () => refusal)
    expect(answers.map(({ status }) => status)).toEqual(expected)
    for (const answer of answers.filter(({ status }) => status >= 400)) {
      expect((await readFailure(answer)).code).toBe(refusal === 403 ? 4030 : 4040)
    }
  })

  test('nobody without a session: 401/4010', async () => {
    expect(await readFailure(await server.fetch(pathOf(game)))).toMatchObject({ status: 401, code: 4010 })
  })
})
