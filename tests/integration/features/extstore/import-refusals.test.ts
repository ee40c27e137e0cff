import { afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { DEMO_APPS } from '../../../helpers/ext-store-double/apps/demo-apps.ts'
import type { Fault, FaultPoint } from '../../../helpers/ext-store-double/state.ts'
import { insertLink } from '../../../helpers/extstore/extstore-links.ts'
import { askImport, askPreview, useImports, WEB_API_KEY } from '../../../helpers/extstore/imports.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertAdmin, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'

const world = useImports()
let person: Person
let stranger: Person
beforeAll(async () => {
  person = await world.signUpDeveloper()
  stranger = await world.signUpDeveloper()
})
afterEach(() => world.double.heal())

const app_id = DEMO_APPS.paid.appId

/** Preview and import refuse alike. Each refusal leaves the account as it was, so limits are not touched here. */
const ROUTES = [
  ['preview', askPreview],
  ['import', askImport],
] as const

describe.each(ROUTES)('%s: input', (_, ask) => {
  test.each([
    ['no app', {}],
    ['an app that is no number', { app_id: 'lantern' }],
    ['app 0', { app_id: 0 }],
    ['a negative app', { app_id: -5 }],
    ['half an app', { app_id: 1.5 }],
    ['an app beyond 32 bits', { app_id: 4_294_967_296 }],
    ['an app as a list', { app_id: [620] }],
    ['a link to another store', { app_id: 'https://www.gog.com/game/620' }],
    ['a link to a host that only looks alike', { app_id: 'https://store.steampowered.com.x.y/app/620/' }],
    ['a store link to something else', { app_id: 'https://store.steampowered.com/bundle/620/' }],
    ['no key', { app_id, web_api_key: undefined }],
    ['an empty key', { app_id, web_api_key: '' }],
    ['a key of 31 characters', { app_id, web_api_key: WEB_API_KEY.slice(1) }],
    ['a key with other letters', { app_id, web_api_key: `G${WEB_API_KEY.slice(1)}` }],
    ['a key in small letters', { app_id, web_api_key: WEB_API_KEY.toLowerCase() }],
    ['a key that is no text', { app_id, web_api_key: 5 }],
    ['no groups', { app_id, groups: [] }],
    ['an unknown group', { app_id, groups: ['text', 'music'] }],
    ['groups as a text', { app_id, groups: 'text' }],
  ])('%s is 400/4240, and the store is not asked', async (_name, body) => {
    const before = world.double.requests.length
    expect(await readFailure(await ask(person, body))).toMatchObject({ status: 400, code: 4240 })
    expect(world.double.requests).toHaveLength(before)
  })

  test('an unknown group is named with its place', async () => {
    const failure = await readFailure(await ask(person, { app_id, groups: ['text', 'music', 5] }))
    expect(failure.data).toMatchObject({
      issues: [
        {
          path: 'groups.1',
          message: expect.stringMatching(/^groups\[1\] must be one of text, /),
        },
        { path: 'groups.2', message: expect.stringMatching(/^groups\[2\] must be one of text, /) },
      ],
    })
  })

  test('an unknown field is 400/4000', async () => {
    const failure = await readFailure(await ask(person, { app_id, colour: 'red' }))
    expect(failure).toMatchObject({ status: 400, code: 4000 })
  })
})

describe.each(ROUTES)('%s: who may', (_, ask) => {
  test('needs developer mode, before anything is judged', async () => {
    const plain = await signUp(world.server)
    expect(await readFailure(await ask(plain, { app_id: 'x' }))).toMatchObject({ status: 403, code: 4105 })
  })

  test('a listing of others is 404/4040, or 403/4030 where the page can be seen', async () => {
    const hidden = await insertGame(world.server, person)
    const open = await insertPublicGame(world.server, person)
    await insertAdmin(world.server, open.uid, stranger, 'invited')
    const [unseen, seen, unknown] = await Promise.all(
      [hidden.uid, open.uid, 'no-such-listing'].map(async (game_uid) =>
        readFailure(await ask(stranger, { app_id, game_uid })),
      ),
    )
    expect([unseen, seen, unknown]).toMatchObject([
      { status: 404, code: 4040 },
      { status: 403, code: 4030 },
      { status: 404, code: 4040 },
    ])
  })

  test('an app that has a listing is 409/4242, the caller’s own too', async () => {
    const game = await insertGame(world.server, person)
    const { appId } = await insertLink(world.server.deps, game.uid)
    const target = await insertGame(world.server, person)
    for (const body of [{ app_id: appId }, { app_id: appId, game_uid: target.uid }]) {
      expect(await readFailure(await ask(person, body))).toMatchObject({ status: 409, code: 4242 })
    }
  })

  test('a listing that is linked to another app is 409/4242', async () => {
    const game = await insertGame(world.server, person)
    await insertLink(world.server.deps, game.uid)
    const failure = await readFailure(await ask(person, { app_id, game_uid: game.uid }))
    expect(failure).toMatchObject({ status: 409, code: 4242 })
  })
})

describe.each(ROUTES)('%s: what the store says', (_, ask) => {
  test.each([
    ['a dlc', DEMO_APPS.dlc.appId, 422, 4240],
    ['a demo', DEMO_APPS.demo.appId, 422, 4240],
    ['an app without a page', DEMO_APPS.removed.appId, 422, 4240],
    ['an app that leads to another', DEMO_APPS.redirected.appId, 422, 4240],
    ['an app the key does not cover', 999_999, 403, 4241],
  ])('%s', async (_name, id, status, code) => {
    const developer = await world.signUpDeveloper()
    expect(await readFailure(await ask(developer, { app_id: id }))).toMatchObject({ status, code })
  })

  test('a key the store does not know is 403/4241', async () => {
    const failure = await readFailure(await ask(person, { app_id, web_api_key: 'F'.repeat(32) }))
    expect(failure).toMatchObject({ status: 403, code: 4241 })
  })

  const NO_ANSWERS: Fault[] = ['500', '429', 'null', 'not_json', 'half', 'reset']
  test.each([
    ...NO_ANSWERS.map((fault): [FaultPoint, Fault, number, number] => ['appList', fault, 502, 4243]),
    ...NO_ANSWERS.map((fault): [FaultPoint, Fault, number, number] => ['appDetails', fault, 502, 4243]),
    ['appList', 'html401', 403, 4241] as const,
    ['appList', 'html403', 403, 4241] as const,
    ['appDetails', 'html403', 502, 4243] as const,
    ['items', '500', 502, 4243] as const,
  ])('%s fails with %s: %i/%i', async (point, fault, status, code) => {
    const developer = await world.signUpDeveloper()
    world.double.fail(point, fault)
    expect(await readFailure(await ask(developer, { app_id }))).toMatchObject({ status, code })
  })
})
