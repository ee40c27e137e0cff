import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { LIMITS } from '../../../../src/domain/limit-table.ts'
import { DAY_MS } from '../../../../src/lib/utc-days.ts'
import { gamePage } from '../../../helpers/ext-store-double/fixture.ts'
import {
  askImport,
  askPreview,
  type ImportWorld,
  startImportWorld,
  WEB_API_KEY,
} from '../../../helpers/extstore/imports.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { asPerson, type Person } from '../../../helpers/people.ts'
import { startTwin } from '../../../helpers/uploads/uploads.ts'

let world: ImportWorld
beforeAll(async () => {
  world = await startImportWorld()
})
afterAll(() => world.stop())
afterEach(() => world.double.heal())

let nextAppId = 820_000

/** Imports into a listing of its own; only the status, so that it is quick. */
async function prepare(person: Person): Promise<{ body: object; uid: string }> {
  nextAppId += 1
  world.double.addApp(gamePage(nextAppId, `Lantern ${nextAppId}`))
  world.double.addKey(WEB_API_KEY, [nextAppId])
  const { uid } = await insertGame(world.server, person)
  return { body: { app_id: nextAppId, game_uid: uid, groups: ['status'] }, uid }
}

const resync = (person: Person, uid: string) =>
  person.json('POST', `/api/v1/private/games/${uid}/steam/resync`, {
    web_api_key: WEB_API_KEY,
    groups: ['status'],
  })

describe('limits', () => {
  test('10 imports or resyncs a day for an account, also when they come at once', async () => {
    const person = await world.signUpDeveloper()
    const { body, uid } = await prepare(person)
    const first = await askImport(person, body)
    expect(first.headers.get('ratelimit-remaining')).toBe('9')
    const rest = await Promise.all(
      Array.from({ length: 14 }, (_, index) =>
        index % 2 === 0 ? askImport(person, body) : resync(person, uid),
      ),
    )
    const statuses = [first, ...rest].map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    const refused = await askImport(person, body)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000)
    expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })

    const other = await world.signUpDeveloper()
    expect((await askImport(other, (await prepare(other)).body)).status).toBe(200)
  })

  test('an import into a new draft counts as a new project; one into a listing does not', async () => {
    const person = await world.signUpDeveloper()
    for (let count = 0; count < LIMITS.new_project.max; count += 1) {
      const created = await person.json('POST', '/api/v1/private/games', { name: 'Lamp', asset_type: 'game' })
      expect(created.status).toBe(201)
    }
    const { body } = await prepare(person)
    const refused = await readFailure(await askImport(person, { ...body, game_uid: null }))
    expect(refused).toMatchObject({ status: 429, code: 4290 })
    expect(refused.message).toStartWith('You can start 10 projects an hour.')
    expect((await askImport(person, body)).status).toBe(200)
  })

  test('only imports that reached the store count; a key that does not fit reached it', async () => {
    const person = await world.signUpDeveloper()
    const { body } = await prepare(person)
    const remaining = async () => (await askImport(person, body)).headers.get('ratelimit-remaining')
    expect(await remaining()).toBe('9')
    for (let tries = 0; tries < 5; tries += 1) {
      expect((await askImport(person, { ...body, groups: [] })).status).toBe(400)
      expect((await askImport(person, { ...body, game_uid: 'nobodys' })).status).toBe(404)
    }
    world.double.fail('appList', '500')
    for (let tries = 0; tries < 10; tries += 1) expect((await askImport(person, body)).status).toBe(502)
    world.double.heal()
    expect(await remaining()).toBe('8')
    expect((await askImport(person, { ...body, web_api_key: 'F'.repeat(32) })).status).toBe(403)
    expect(await remaining()).toBe('6')
  })

  test('survive a restart, and say when they end', async () => {
    const person = await world.signUpDeveloper()
    const { body } = await prepare(person)
    expect((await askImport(person, body)).headers.get('ratelimit-remaining')).toBe('9')
    const again = await startTwin(world.server, world.double.env)
    try {
      const there = asPerson(again, person)
      expect((await askImport(there, body)).headers.get('ratelimit-remaining')).toBe('8')
      for (let made = 0; made < 8; made += 1) expect((await askImport(there, body)).status).toBe(200)
    } finally {
      await again.stop()
    }
    const { message } = await readFailure(await askImport(person, body))
    const [, end = ''] = /^The limit of 10 a day is reached\. Try again after (.+ UTC)\.$/.exec(message) ?? []
    const left = Date.parse(end) - Date.now()
    expect(left).toBeGreaterThan(23 * 60 * 60 * 1000)
    expect(left).toBeLessThan(24 * 60 * 60 * 1000 + 60_000)
  })

  test('do not count malformed requests', async () => {
    const person = await world.signUpDeveloper()
    const { body } = await prepare(person)
    const wrong = [{ groups: [] }, { app_id: 'no app' }, { groups: 'status' }, { web_api_key: 'short' }]
    for (const fault of wrong) {
      expect((await askPreview(person, { ...body, ...fault })).status).toBe(400)
      expect((await askImport(person, { ...body, ...fault })).status).toBe(400)
    }
    expect((await askPreview(person, body)).headers.get('ratelimit-remaining')).toBe('59')
    expect(await world.server.deps.rates.add(`import_attempt:${person.uid}`, DAY_MS)).toMatchObject({
      count: 1,
    })
  })

  test('60 previews a day for an account', async () => {
    const person = await world.signUpDeveloper()
    const { body } = await prepare(person)
    for (let made = 0; made < 6; made += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => askPreview(person, body)))
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    }
    const refused = await askPreview(person, body)
    expect(refused.headers.get('ratelimit-limit')).toBe('60')
    expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })
    expect((await askImport(person, body)).status).toBe(200)
  })
})
