import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { DeveloperPage } from '../../../../src/features/catalog/pages/model.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp, usernameOf } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const developer = usePerson(server)
let username: string

beforeAll(async () => {
  username = await usernameOf(developer)
  for (const [name, day, adult] of [
    ['second', 2, false],
    ['first', 3, false],
    ['adult', 1, true],
  ] as const) {
    const publishedAt = new Date(Date.UTC(2026, 0, day))
    await insertPublicGame(server, developer, { name, adult, publishedAt })
  }
  for (const visibility of ['draft', 'owner', 'invisible'] as const) {
    await insertGame(server, developer, { visibility })
  }
})

const ask = (ref: string, headers: Record<string, string> = {}) =>
  server.fetch(`/api/v1/public/user/${ref}`, { headers })
const namesOf = ({ items }: DeveloperPage) => items.map(({ name }) => name)

describe('a developer', () => {
  test('is found by uid and by username, with the public listings, newest first', async () => {
    const page = await readData<DeveloperPage>(await ask(username))
    const { baseUrl } = server.deps.config
    expect(page).toMatchObject({ uid: developer.uid, username, url: `${baseUrl}/developers/${username}` })
    expect(page.created_at).toMatch(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
    expect(namesOf(page)).toEqual(['first', 'second'])
    expect(page).toMatchObject({ total: 2, page: 1, page_size: 20 })
    expect(await readData<DeveloperPage>(await ask(developer.uid))).toEqual(page)
  })

  test('shows adult listings to a player who turned adult content on', async () => {
    const player = await signUp(server)
    const headers = await bearerOf(player)
    expect(await readData<DeveloperPage>(await ask(username, headers))).toMatchObject({ total: 2 })
    const grownUp = await signUp(server)
    await server.deps.db.update(users).set({ adultContent: true }).where(eq(users.id, grownUp.uid))
    const page = await readData<DeveloperPage>(await ask(username, await bearerOf(grownUp)))
    expect(namesOf(page)).toEqual(['first', 'second', 'adult'])
    expect(page.total).toBe(3)
  })

  test('comes in pages', async () => {
    const page = await readData<DeveloperPage>(await ask(`${username}?page=2&page_size=1`))
    expect(namesOf(page)).toEqual(['second'])
    expect(page).toMatchObject({ total: 2, page: 2, page_size: 1 })
  })

  test('without any public listing is 404/4040, like one who does not exist', async () => {
    const beginner = await signUp(server)
    await insertGame(server, beginner, { visibility: 'invisible' })
    const refs = [beginner.uid, await usernameOf(beginner), crypto.randomUUID(), 'nobody-at-all']
    const bodies = await Promise.all(refs.map(async (ref) => await (await ask(ref)).text()))
    expect(new Set(bodies).size).toBe(1)
    expect(await readFailure(await ask(beginner.uid))).toMatchObject({ status: 404, code: 4040 })
  })

  test('with adult listings only exists, and shows strangers nothing', async () => {
    const maker = await signUp(server)
    await insertPublicGame(server, maker, { adult: true })
    expect(await readData<DeveloperPage>(await ask(maker.uid))).toMatchObject({ items: [], total: 0 })
  })

  test('who renames themself is found by the new name at once, and shown so on the page within a second', async () => {
    const maker = await signUp(server)
    const game = await insertPublicGame(server, maker)
    const shown = async () =>
      (
        await readData<{ developer: { username: string } }>(
          await server.fetch(`/api/v1/public/games/${game.uid}`),
        )
      ).developer.username
    const before = await usernameOf(maker)
    expect(await shown()).toBe(before)
    const renamed = `maker-${crypto.randomUUID().slice(0, 8)}`
    await maker.json('PATCH', '/api/v1/private/me', { username: renamed })
    expect((await ask(renamed)).status).toBe(200)
    expect((await ask(before)).status).toBe(404)
    // Processes are told of a name, and drop the pages with the old one.
    await waitFor('the page shows the new name', async () => (await shown()) === renamed, PROMPT_MS)
  })
})

describe('the public files of a listing', () => {
  const files = (user: string, game: string) =>
    server.fetch(`/api/v1/public/user/${user}/games/${game}/files`)

  test('are none while it has no builds', async () => {
    const [game] = await server.deps.db.select().from(games).where(eq(games.name, 'first'))
    const answer = await files(username, game?.vanityName ?? '')
    expect(await readData(answer)).toEqual({ items: [], total: 0, page: 1, page_size: 20 })
  })

  test("of another developer's listing are 404/4040", async () => {
    const [other, game] = [await signUp(server), await insertPublicGame(server, developer)]
    for (const user of [other.uid, await usernameOf(other), 'nobody-at-all', crypto.randomUUID()]) {
      expect(await readFailure(await files(user, game.uid))).toMatchObject({ status: 404, code: 4040 })
    }
  })
})

describe('store rules', () => {
  test('tell price limits and fees', async () => {
    const answer = await server.fetch('/api/v1/public/store-rules')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=5, must-revalidate')
    expect(await readData(answer)).toEqual({
      currency: 'USD',
      min_price_cents: 99,
      max_price_cents: 9999,
      fee_percent: 10,
      payout_minimum_cents: 2500,
      free_allowed: true,
    })
  })
})
