import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { TSchema } from '@sinclair/typebox'

import { createRandom } from '../../../src/lib/random.ts'
import { createBugKey } from '../../helpers/bugs.ts'
import { NOT_READABLE, type Resource, RESOURCES, type World } from '../../helpers/cases/write-back-cases.ts'
import { readData, readFailure } from '../../helpers/json.ts'
import { verifyEmail } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { startTestServer } from '../../helpers/server.ts'

const SEED = 20_261_116
const ROUNDS = 6

let world: World
beforeAll(async () => {
  const server = await startTestServer({ TRUST_PROXY: '1' })
  // Every read-only field is one more write to the same listing; the limits have tests of their own.
  Object.assign(server.deps.rates, { add: () => ({ count: 1, resetMs: 1000 }) })
  const [owner, player] = await Promise.all([signUp(server), signUp(server)])
  await verifyEmail(server, owner)
  await verifyEmail(server, player)
  world = { server, owner, player, bugKey: await createBugKey(player) }
})
afterAll(() => world.server.stop())

interface Route {
  name: string
  body: TSchema | undefined
}

function listWrites(): Route[] {
  return world.server.app.routes
    .filter(({ method }) => method === 'PUT' || method === 'PATCH')
    .map(({ method, path, hooks }) => ({ name: `${method} ${path}`, body: hooks.body }))
}

const write = ({ caller, url }: Resource, name: string, body: object) =>
  caller.json(name.slice(0, name.indexOf(' ')), url, body)

/** Without what every write or every reading changes. */
function settled({ updated_at: _, screenshot_url: link, ...rest }: Record<string, unknown>) {
  return { ...rest, screenshot: typeof link === 'string' ? link.split('?', 1)[0] : link }
}

function readOnlyFieldsOf(route: string): string[] {
  const properties = listWrites().find(({ name }) => name === route)?.body?.properties ?? {}
  return Object.keys(properties).filter((name) => properties[name].readOnly === true)
}

describe('what was read can be written back', () => {
  test('every PUT and PATCH has a case', () => {
    expect(
      listWrites()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...Object.keys(RESOURCES), ...Object.keys(NOT_READABLE)].toSorted())
  })

  describe.each(Object.entries(RESOURCES))('%s', (name, create) => {
    test('the answer as it is changes nothing', async () => {
      const random = createRandom(`${SEED} ${name}`)
      for (let round = 0; round < ROUNDS; round += 1) {
        const resource = await create(world, random)
        const before = await resource.read()
        const answer = await write(resource, name, before)
        const said = await answer.clone().text()
        expect({ round, status: answer.status, said }).toEqual({ round, status: 200, said })
        expect(settled(await readData(answer))).toEqual(settled(before))
        expect(settled(await resource.read())).toEqual(settled(before))
      }
    })

    test('a read-only field with another value is 4000 and named', async () => {
      const resource = await create(world, createRandom(`${SEED} ${name}`))
      const before = await resource.read()
      for (const field of readOnlyFieldsOf(name)) {
        const answer = await write(resource, name, { ...before, [field]: 'something else' })
        const { status, code, message, data } = await readFailure(answer)
        expect({ status, code, message }).toEqual({
          status: 400,
          code: 4000,
          message: `${field} is read-only; leave it out, or send it as it is now.`,
        })
        expect(data).toEqual({ issues: [{ path: field, message }] })
      }
      expect(settled(await resource.read())).toEqual(settled(before))
    })
  })
})

describe('read-only fields of entries', () => {
  async function readListing(): Promise<[Resource, Record<string, object[]>, object]> {
    const random = createRandom(SEED)
    for (;;) {
      const resource = await RESOURCES['PATCH /api/v1/private/games/:uid']?.(world, random)
      const listing = (await resource?.read()) as Record<string, object[]>
      const parent: object = listing.parent ?? {}
      if (resource && listing.similar_titles?.length && listing.dependencies?.length && 'game' in parent)
        return [resource, listing, parent]
    }
  }

  test.each(['similar_titles', 'dependencies'])('%s', async (list) => {
    const [resource, listing] = await readListing()
    for (const field of ['vanity_name', 'name', 'asset_type']) {
      const entries = listing[list]?.map((entry, index) => (index === 0 ? { ...entry, [field]: 'x' } : entry))
      const answer = await write(resource, 'PATCH ', { [list]: entries })
      expect(await readFailure(answer)).toMatchObject({
        status: 400,
        code: 4000,
        data: { issues: [{ path: `${list}.0.${field}` }] },
      })
    }
  })

  test('parent', async () => {
    const [resource, , parent] = await readListing()
    for (const field of ['vanity_name', 'name', 'asset_type']) {
      const answer = await write(resource, 'PATCH ', { parent: { ...parent, [field]: 'x' } })
      expect(await readFailure(answer)).toMatchObject({
        status: 400,
        code: 4000,
        data: { issues: [{ path: `parent.${field}` }] },
      })
    }
  })

  test('store links', async () => {
    const [resource] = await readListing()
    const link = { platform: 'store_01', label: 'Another', url: 'https://store.steampowered.com/app/620/' }
    const answer = await resource.caller.json('PUT', `${resource.url}/store-links`, { store_links: [link] })
    expect(await readFailure(answer)).toMatchObject({
      status: 400,
      code: 4000,
      data: { issues: [{ path: 'store_links.0.label' }] },
    })
  })
})
