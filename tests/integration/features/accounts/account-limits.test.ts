import { describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { LIMITS } from '../../../../src/domain/limit-table.ts'
import { DRAFTS_MAX } from '../../../../src/features/listings/page/model.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertLicense, insertPublicGame } from '../../../helpers/listings.ts'
import { asPerson, type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { submitForm } from '../../../helpers/site/studio.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })

const newName = () => `name-${crypto.randomUUID().slice(0, 12)}`
const renameAccount = (person: Person) => person.json('PATCH', '/api/v1/private/me', { username: newName() })
const renameListing = (person: Person, game: GameRow) =>
  person.json('PATCH', `/api/v1/private/games/${game.uid}`, { vanity_name: newName() })
const createProject = (person: Person) =>
  person.json('POST', '/api/v1/private/games', { name: 'A lamp', asset_type: 'game' })

/** Ends every window, as if the time had passed. */
const passTime = () => server.deps.db.execute(sql`update rate_counts set ends_at = now()`)

async function expectLimited(answer: Response, sentence: string, seconds: number): Promise<void> {
  expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, seconds + 1)
  expect(answer.headers.get('ratelimit-remaining')).toBe('0')
  const failure = await readFailure(answer)
  expect(failure).toMatchObject({ status: 429, code: 4290 })
  expect(failure.message).toStartWith(sentence)
  expect(failure.message).toMatch(/Try again after \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/)
}

describe('renames', () => {
  const { max, windowSeconds } = LIMITS.rename
  const SENTENCE = `You can change names ${max} times a day.`

  test('of an account and its listings are 10 a day, also after a restart', async () => {
    const person = await signUp(server)
    const game = await insertGame(server, person)
    for (let count = 0; count < max; count += 1) {
      const answer = await (count % 2 === 0 ? renameAccount(person) : renameListing(person, game))
      expect(answer.status).toBe(200)
    }
    await expectLimited(await renameAccount(person), SENTENCE, windowSeconds)
    await expectLimited(await renameListing(person, game), SENTENCE, windowSeconds)
    const restarted = await startTestServer({ TRUST_PROXY: '1', DATABASE_URL: server.databaseUrl })
    await expectLimited(await renameAccount(asPerson(restarted, person)), SENTENCE, windowSeconds)
    await restarted.stop()
    await passTime()
    expect((await renameAccount(person)).status).toBe(200)
  })

  test('that change nothing or fail do not count', async () => {
    const [person, other] = [await signUp(server), await signUp(server)]
    const { username } = await readData<{ username: string }>(await person.fetch('/api/v1/private/me'))
    const taken = await readData<{ username: string }>(await other.fetch('/api/v1/private/me'))
    for (let count = 0; count < max + 2; count += 1) {
      expect((await person.json('PATCH', '/api/v1/private/me', { username })).status).toBe(200)
      const refused = await person.json('PATCH', '/api/v1/private/me', { username: taken.username })
      expect(refused.status).toBe(409)
    }
    expect((await renameAccount(person)).status).toBe(200)
  })

  test('at the website keep the form and say when it ends', async () => {
    const person = await signUp(server)
    for (let count = 0; count < max; count += 1) expect((await renameAccount(person)).status).toBe(200)
    const answer = await submitForm(person, '/account/profile', { username: 'a-new-lamp' })
    expect(answer.status).toBe(429)
    const page = await answer.text()
    expect(page).toContain(SENTENCE)
    expect(page).toContain('value="a-new-lamp"')
  })
})

describe('new projects', () => {
  const { max, windowSeconds } = LIMITS.new_project
  const SENTENCE = `You can start ${max} projects an hour.`

  test('are 10 an hour by every door, also for who deletes them', async () => {
    const person = await signUp(server)
    for (let count = 0; count < max; count += 1) {
      const created = await createProject(person)
      const { uid } = await readData<{ uid: string }>(created)
      expect(created.status).toBe(201)
      expect((await person.json('DELETE', `/api/v1/private/games/${uid}`)).status).toBe(200)
    }
    await expectLimited(await createProject(person), SENTENCE, windowSeconds)
    const form = await submitForm(person, '/studio/new', { name: 'A kept lamp', asset_type: 'game' })
    expect(form.status).toBe(429)
    const page = await form.text()
    expect(page).toContain(SENTENCE)
    expect(page).toContain('value="A kept lamp"')
    await passTime()
    expect((await createProject(person)).status).toBe(201)
  })

  test('sent at once are no more than 10', async () => {
    const person = await signUp(server)
    const answers = await Promise.all(Array.from({ length: 3 * max }, () => createProject(person)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(max)
  })

  test('are refused while an account has 50 drafts', async () => {
    const person = await signUp(server)
    for (let count = 0; count < DRAFTS_MAX; count += 1) await insertGame(server, person)
    const refused = await readFailure(await createProject(person))
    expect(refused).toMatchObject({ status: 409, code: 4090 })
    expect(refused.message).toBe('You already have 50 drafts. Publish or delete one, then start the next.')
    const form = await submitForm(person, '/studio/new', { name: 'One more', asset_type: 'game' })
    expect(form.status).toBe(409)
    expect(await form.text()).toContain('You already have 50 drafts.')
  })
})

describe('a new name of a developer', () => {
  test('is on every page that shows it, and costs no other page its cache', async () => {
    const [developer, stranger, fan] = await Promise.all([signUp(server), signUp(server), signUp(server)])
    const own = await insertPublicGame(server, developer)
    const reviewed = await insertPublicGame(server, stranger)
    const unrelated = await insertPublicGame(server, fan)
    await insertLicense(server, reviewed.uid, developer)
    const review = { rating: 5, text: 'The lamp turns.' }
    expect((await developer.json('PUT', `/api/v1/private/games/${reviewed.uid}/review`, review)).status).toBe(
      201,
    )
    const read = async ({ vanityName }: GameRow) => await (await server.fetch(`/games/${vanityName}`)).text()
    const heard: string[] = []
    await server.deps.database.listen(
      'game_changed',
      (uid) => void heard.push(uid),
      () => undefined,
    )
    for (const game of [own, reviewed, unrelated]) await read(game)
    const username = newName()
    expect((await developer.json('PATCH', '/api/v1/private/me', { username })).status).toBe(200)
    for (const game of [own, reviewed])
      await waitFor('the new name', async () => (await read(game)).includes(username))
    expect(new Set(heard)).toEqual(new Set([own.uid, reviewed.uid]))
  })
})
