import { beforeAll, describe, expect, test } from 'bun:test'

import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertCover, insertGame, verifyEmail } from '../../../helpers/listings.ts'
import type { Person } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const admin = usePerson(server)
let game: GameRow
beforeAll(async () => {
  await verifyEmail(server, owner)
  game = await insertGame(server, owner)
  await insertCover(server, game.uid)
  await insertAdmin(server, game.uid, admin, 'accepted')
})

const path = (suffix = '') => `/api/v1/private/games/${game.uid}${suffix}`

function edit(person: Person, patch: object, ifMatch?: string): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
  }
  return person.fetch(path(), { method: 'PATCH', headers, body: JSON.stringify(patch) })
}

const statusesOf = (answers: readonly Response[]) =>
  answers.map(({ status }) => status).toSorted((left, right) => left - right)

async function readEtag(): Promise<string> {
  return (await owner.fetch(path())).headers.get('etag') ?? ''
}

describe('If-Match', () => {
  test('the current ETag, a list with it, or * passes and gives a new ETag', async () => {
    for (const wrap of [(etag: string) => etag, (etag: string) => `"0", ${etag}`, () => '*']) {
      const etag = await readEtag()
      const answer = await edit(owner, { tagline: 'x' }, wrap(etag))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('etag')).not.toBe(etag)
    }
  })

  test.each(['"0"', 'W/"1"', '1', '""', 'nonsense'])(
    '%s is stale: 412 and nothing changes',
    async (ifMatch) => {
      const before = await (await owner.fetch(path())).json()
      expect(await readFailure(await edit(owner, { tagline: 'lost?' }, ifMatch))).toMatchObject({
        status: 412,
        code: 4120,
      })
      expect(await (await owner.fetch(path())).json()).toEqual(before)
    },
  )

  test('holds for the visibility too', async () => {
    const stale = await owner.fetch(path('/visibility'), {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'if-match': '"0"' },
      body: JSON.stringify({ visibility: 'invisible' }),
    })
    expect(await readFailure(stale)).toMatchObject({ status: 412, code: 4120 })
  })
})

describe('at the same time', () => {
  test('of two edits for the same revision one wins and the other is told', async () => {
    for (let round = 0; round < 10; round += 1) {
      const etag = await readEtag()
      const answers = await Promise.all([
        edit(owner, { tagline: `owner ${round}` }, etag),
        edit(admin, { tagline: `admin ${round}` }, etag),
      ])
      expect(statusesOf(answers)).toEqual([200, 412])
      const winner = answers.find(({ status }) => status === 200)
      const { tagline } = await readData<{ tagline: string }>(winner ?? new Response())
      expect(await readData<object>(await owner.fetch(path()))).toMatchObject({ tagline })
    }
  })

  test('edits of different fields are all kept', async () => {
    const patches = [
      { tagline: 'kept' },
      { website: 'https://kept.example' },
      { tone: ['cozy'] },
      { inputs: ['gamepad'] },
      { session_bucket: '1h' },
      { net: 'online' },
      { authorship: 'human' },
      { license_kind: 'cc0' },
    ]
    const people = [owner, admin]
    const answers = await Promise.all(patches.map((patch, index) => edit(people[index % 2] ?? owner, patch)))
    expect(answers.map(({ status }) => status)).toEqual(patches.map(() => 200))
    expect(new Set(answers.map((answer) => answer.headers.get('etag'))).size).toBe(patches.length)
    expect(await readData<object>(await owner.fetch(path()))).toMatchObject(Object.assign({}, ...patches))
  })

  test('two publications are one', async () => {
    const publish = (person: Person) => person.json('PUT', path('/visibility'), { visibility: 'public' })
    const answers = await Promise.all([owner, admin, owner, admin].map(publish))
    const listings = await Promise.all(answers.map((answer) => readData<{ published_at: string }>(answer)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(listings.map(({ published_at }) => published_at)).size).toBe(1)
    expect(new Set(answers.map((answer) => answer.headers.get('etag'))).size).toBe(1)
  })

  test('publishing and spoiling the page never leave a public page with errors', async () => {
    for (let round = 0; round < 10; round += 1) {
      await owner.json('PUT', path('/visibility'), { visibility: 'draft' })
      await edit(owner, { tags: ['one', 'two', 'three'] })
      const [published, spoiled] = await Promise.all([
        owner.json('PUT', path('/visibility'), { visibility: 'public' }),
        edit(admin, { tags: [] }),
      ])
      expect(statusesOf([published, spoiled])).toEqual([200, 422])
    }
  })

  test('of many listings that want one name, one gets it', async () => {
    const drafts = await Promise.all(Array.from({ length: 8 }, () => insertGame(server, owner)))
    const answers = await Promise.all(
      drafts.map(({ uid }) =>
        owner.json('PATCH', `/api/v1/private/games/${uid}`, { vanity_name: 'wanted-by-all' }),
      ),
    )
    expect(statusesOf(answers)).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
  })

  test('many new listings of one name all get a vanity name', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        owner.json('POST', '/api/v1/private/games', { name: 'Same Name', asset_type: 'game' }),
      ),
    )
    const names = await Promise.all(answers.map((answer) => readData<{ vanity_name: string }>(answer)))
    expect(new Set(names.map(({ vanity_name }) => vanity_name)).size).toBe(8)
  })
})
