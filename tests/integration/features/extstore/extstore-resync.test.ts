import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Imported } from '../../../../src/features/extstore/import/model.ts'
import { gamePage } from '../../../helpers/ext-store-double/fixture.ts'
import {
  importedOf,
  type ImportWorld,
  runImport,
  startImportWorld,
  WEB_API_KEY,
} from '../../../helpers/extstore/imports.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import type { Person } from '../../../helpers/people.ts'

let world: ImportWorld
let person: Person
const APP_ID = 810_000
beforeAll(async () => {
  world = await startImportWorld()
  world.double.addApp(gamePage(APP_ID, 'Lantern Keeper'))
  world.double.addKey(WEB_API_KEY, [APP_ID])
  person = await world.signUpDeveloper()
})
afterAll(() => world.stop())

const ask = (uid: string, body: object, who = person) =>
  who.json('POST', `/api/v1/private/games/${uid}/steam/resync`, body)

describe('resync', () => {
  let uid: string
  test('takes the groups asked for from the linked app once more', async () => {
    const imported = await runImport(person, { app_id: APP_ID, groups: ['text'] })
    uid = imported.game_uid
    world.double.addApp(gamePage(APP_ID, 'Lantern Keeper: Dawn', { short_description: 'New.' }))
    const answer = await ask(uid, { groups: ['text'], web_api_key: WEB_API_KEY })
    expect(answer.status).toBe(200)
    const { report, settings, ...rest } = await readData<Imported>(answer)
    expect(rest).toEqual({ game_uid: uid, vanity_name: imported.vanity_name, created: false })
    expect(importedOf(report)).toMatchObject({ name: 'Lantern Keeper: Dawn', tagline: 'New.' })
    expect(Object.keys(importedOf(report))).toEqual(['name', 'tagline', 'description'])
    expect(Date.parse(settings.last_sync_at ?? '')).toBeGreaterThan(
      Date.parse(imported.settings.last_sync_at ?? ''),
    )
    const listing = await person.fetch(`/api/v1/private/games/${uid}`)
    expect(await readData(listing)).toMatchObject({ name: 'Lantern Keeper: Dawn', genres: [] })
  })

  test.each([[{}], [{ web_api_key: '' }], [{ web_api_key: null }]])(
    'without a key it is 400/4240 while sign-in is off: %j',
    async (body) => {
      expect(await readFailure(await ask(uid, body))).toMatchObject({ status: 400, code: 4240 })
    },
  )

  test.each([[{}], [{ web_api_key: '' }]])('while sign-in is on the saved key is used: %j', async (body) => {
    const enabled = await person.json('POST', `/api/v1/private/games/${uid}/steam/enable`, {
      web_api_key: WEB_API_KEY,
    })
    expect(enabled.status).toBe(200)
    const { report, settings } = await readData<Imported>(await ask(uid, body))
    expect(importedOf(report)).toMatchObject({ status: 'released', genres: ['adventure'] })
    expect(settings.enabled).toBe(true)
  })

  test('a saved key that no longer covers the app is 403/4241', async () => {
    world.double.addKey(WEB_API_KEY, [])
    const failure = await readFailure(await ask(uid, {}))
    world.double.addKey(WEB_API_KEY, [APP_ID])
    expect(failure).toMatchObject({ status: 403, code: 4241 })
  })

  test.each([
    ['no groups', { groups: [] }, 400, 4240],
    ['an unknown group', { groups: ['music'] }, 400, 4240],
    ['a key of another shape', { web_api_key: 'x' }, 400, 4240],
    ['an unknown field', { app_id: APP_ID }, 400, 4000],
  ])('%s is refused', async (_, body, status, code) => {
    expect(await readFailure(await ask(uid, body))).toMatchObject({ status, code })
  })

  test('a listing that is not linked is 404/4244', async () => {
    const game = await insertGame(world.server, person)
    const failure = await readFailure(await ask(game.uid, { web_api_key: WEB_API_KEY }))
    expect(failure).toMatchObject({ status: 404, code: 4244 })
  })

  test('needs developer mode', async () => {
    const other = await world.signUpDeveloper()
    await other.json('PATCH', '/api/v1/private/me', { developer_mode: false })
    expect(await readFailure(await ask(uid, {}, other))).toMatchObject({ status: 403, code: 4105 })
  })
})
