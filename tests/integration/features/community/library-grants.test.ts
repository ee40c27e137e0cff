import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { licenses } from '../../../../src/db/schema/games/game-players.ts'
import { insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { insertAdmin, insertGame, insertLicense, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp, unnamed, usernameOf } from '../../../helpers/people.ts'
import { submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const admin = usePerson(server)
const player = usePerson(server)
let username: string
beforeAll(async () => {
  username = await usernameOf(player)
})

interface License {
  username: string
  source: string
  since: string
  pending: boolean
}

const pathOf = (ref: string) => `/api/v1/private/games/${ref}/licenses`
const grant = (person: Person, ref: string, body: unknown) => person.json('POST', pathOf(ref), body)

describe('granting a licence', () => {
  test.each([
    ['a paid listing', { visibility: 'public', priceCents: 999 }],
    ['a free listing', { visibility: 'public' }],
    ['a draft', { visibility: 'draft' }],
    ['an owner page', { visibility: 'owner' }],
  ] as const)('%s: the owner gives one, 201 and 200 again', async (_, values) => {
    const game = await insertGame(server, owner, values)
    const first = await grant(owner, game.uid, { username })
    expect(first.status).toBe(201)
    const license = await readData<License>(first)
    expect(license).toEqual({ ...unnamed(username), source: 'granted', since: license.since, pending: true })
    const again = await grant(owner, game.vanityName, { username })
    expect(again.status).toBe(200)
    expect(await readData<License>(again)).toEqual(license)
  })

  test('a claimed licence stays as it is', async () => {
    const game = await insertPublicGame(server, owner)
    await insertLicense(server, game.uid, player)
    const answer = await grant(owner, game.uid, { username })
    expect(answer.status).toBe(200)
    expect(await readData<License>(answer)).toMatchObject({ source: 'claimed' })
  })

  test('the player finds it in the library', async () => {
    const game = await insertPublicGame(server, owner, { priceCents: 999 })
    await grant(owner, game.uid, { username })
    const { items } = await readData<{ items: { game: { uid: string }; source: string }[] }>(
      await player.fetch('/api/v1/private/library'),
    )
    expect(items[0]).toMatchObject({ game: { uid: game.uid }, source: 'granted' })
  })

  test('an unknown username is 400/4000 and says so', async () => {
    const game = await insertPublicGame(server, owner)
    const answer = await grant(owner, game.uid, { username: 'nobody-at-all' })
    expect(answer.status).toBe(400)
    expect(await readJson<unknown>(answer)).toMatchObject({
      error: { code: 4000 },
      data: {
        issues: [{ path: 'username', message: expect.stringContaining('none called "nobody-at-all"') }],
      },
    })
  })

  test.each([
    ['no username', {}],
    ['a number', { username: 7 }],
    ['an unknown field', { username: 'x', source: 'claimed' }],
    ['a list', []],
  ])('%s is 400/4000', async (_, body) => {
    const game = await insertPublicGame(server, owner)
    expect(await readFailure(await grant(owner, game.uid, body))).toMatchObject({ status: 400, code: 4000 })
  })

  test('twenty grants at once make one licence', async () => {
    const game = await insertPublicGame(server, owner)
    const answers = await Promise.all(Array.from({ length: 20 }, () => grant(owner, game.uid, { username })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
    expect(await server.deps.db.$count(licenses, eq(licenses.gameUid, game.uid))).toBe(1)
  })
})

describe('a gift', () => {
  interface Item {
    game: { uid: string }
    source: string
    pending: boolean
    hidden: boolean
    unavailable: string | null
  }

  const library = async (show = 'all') => {
    const path = `/api/v1/private/library?page_size=100&show=${show}`
    return (await readData<{ items: Item[] }>(await player.fetch(path))).items
  }
  const find = async (uid: string, show?: string) =>
    (await library(show)).find(({ game }) => game.uid === uid)
  const decide = (uid: string, act: 'accept' | 'restore') =>
    player.json('POST', `/api/v1/private/library/${uid}/${act}`, {})
  const takeOut = (uid: string) => player.fetch(`/api/v1/private/library/${uid}`, { method: 'DELETE' })

  async function give(values: Parameters<typeof insertPublicGame>[2] = {}) {
    const game = await insertPublicGame(server, owner, { priceCents: 999, ...values })
    const build = await insertBuild(server, game.uid)
    const file = await insertFile(server, build)
    await pointChannel(server, build)
    expect((await grant(owner, game.uid, { username })).status).toBe(201)
    const path = `/api/v1/private/games/${game.uid}/files/${file.uid}/download`
    return { game, download: () => player.fetch(path) }
  }

  test('waits until it is accepted, and gives no right before', async () => {
    const { game, download } = await give()
    expect(await find(game.uid)).toMatchObject({ source: 'granted', pending: true, unavailable: 'pending' })
    const refused = await readFailure(await download())
    expect(refused).toMatchObject({ status: 403, code: 4030 })
    expect(refused.message).toContain('Accept it in your library')
    const review = await player.json('PUT', `/api/v1/private/games/${game.uid}/review`, {
      rating: 5,
      text: 'Fine.',
    })
    expect(review.status).toBe(403)
    expect((await player.json('POST', `/api/v1/private/games/${game.uid}/beta`, {})).status).toBe(403)
    expect((await decide(game.uid, 'accept')).status).toBe(200)
    expect((await decide(game.uid, 'accept')).status).toBe(200)
    expect(await find(game.uid)).toMatchObject({ pending: false, unavailable: null })
    expect((await download()).status).toBe(200)
  })

  test('is accepted and declined on the page of the library', async () => {
    const { game } = await give()
    const { game: other } = await give()
    const page = await (await player.fetch('/library')).text()
    expect(page).toContain('Given to you')
    expect(page).toContain(`action="/library/${game.uid}"`)
    const send = (uid: string, act: string) => submitForm(player, `/library/${uid}`, { act })
    expect((await send(game.uid, 'accept')).headers.get('location')).toContain('done=accept')
    expect((await send(other.uid, 'decline')).headers.get('location')).toContain('done=decline')
    expect((await send(game.uid, 'burn')).status).toBe(400)
    expect(await find(game.uid)).toMatchObject({ pending: false })
    expect(await find(other.uid)).toBeUndefined()
    expect(await (await player.fetch('/library?show=hidden')).text()).toContain('Bring back')
  })

  test('of adult content needs the opt-in to be accepted', async () => {
    const { game } = await give({ adult: true })
    const refused = await readFailure(await decide(game.uid, 'accept'))
    expect(refused).toMatchObject({ status: 403, code: 4030 })
    expect(refused.message).toContain('Turn on adult content')
    await player.json('PATCH', '/api/v1/private/me', { adult_content: true })
    expect((await decide(game.uid, 'accept')).status).toBe(200)
    await player.json('PATCH', '/api/v1/private/me', { adult_content: false })
  })

  test('that was declined does not come again, and can still be taken', async () => {
    const { game, download } = await give()
    expect((await takeOut(game.uid)).status).toBe(200)
    expect((await takeOut(game.uid)).status).toBe(200)
    expect((await grant(owner, game.uid, { username })).status).toBe(200)
    expect(await find(game.uid)).toBeUndefined()
    expect(await find(game.uid, 'hidden')).toMatchObject({ pending: true, hidden: true })
    expect((await decide(game.uid, 'accept')).status).toBe(200)
    expect(await find(game.uid)).toMatchObject({ pending: false, hidden: false })
    expect((await download()).status).toBe(200)
  })

  test('of a free listing is accepted by claiming it', async () => {
    const { game, download } = await give({ priceCents: 0 })
    expect((await player.json('POST', `/api/v1/private/games/${game.uid}/claim`, {})).status).toBe(200)
    expect((await download()).status).toBe(200)
  })

  test('any licence can be taken out of the library, stays valid, and comes back', async () => {
    const { game, download } = await give()
    await decide(game.uid, 'accept')
    expect((await takeOut(game.uid)).status).toBe(200)
    expect(await find(game.uid)).toBeUndefined()
    expect((await download()).status).toBe(200)
    expect(await readData<Item>(await decide(game.uid, 'restore'))).toMatchObject({ hidden: false })
    expect(await find(game.uid)).toMatchObject({ hidden: false })
  })

  test.each(['not-a-uid', '01920000-0000-7000-8000-000000000000'])(
    'nobody changes the licence %s that they do not have',
    async (uid) => {
      const answers = [await decide(uid, 'accept'), await decide(uid, 'restore'), await takeOut(uid)]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    },
  )
})

describe('who may grant and who may look', () => {
  const people = () => ({ owner, admin, player })

  test.each([
    ['public', 'owner', 201, 200],
    ['public', 'admin', 403, 200],
    ['public', 'player', 403, 403],
    ['draft', 'owner', 201, 200],
    ['draft', 'admin', 403, 200],
    ['draft', 'player', 404, 404],
    ['owner', 'admin', 403, 200],
    ['owner', 'player', 404, 404],
  ] as const)('on a %s page the %s gets %i and %i', async (visibility, who, granting, looking) => {
    const game = await insertGame(server, owner, { visibility })
    await insertAdmin(server, game.uid, admin, 'accepted')
    const person = people()[who]
    expect((await grant(person, game.uid, { username })).status).toBe(granting)
    expect((await person.fetch(pathOf(game.uid))).status).toBe(looking)
  })

  test('an admin who has not accepted is a stranger', async () => {
    const game = await insertGame(server, owner)
    const invited = await signUp(server)
    await insertAdmin(server, game.uid, invited, 'invited')
    expect((await invited.fetch(pathOf(game.uid))).status).toBe(404)
  })

  test('holders are listed newest first, in pages', async () => {
    const game = await insertPublicGame(server, owner)
    const people = [player, admin, await signUp(server)]
    for (const [index, person] of people.entries()) {
      await insertLicense(server, game.uid, person, { createdAt: new Date(Date.UTC(2026, 0, index + 1)) })
    }
    const names = await Promise.all(people.map(usernameOf))
    const page = await readData<{ items: License[]; total: number }>(
      await owner.fetch(`${pathOf(game.uid)}?page_size=2`),
    )
    expect(page).toMatchObject({ total: 3, page: 1, page_size: 2 })
    expect(page.items).toEqual([
      { ...unnamed(names[2]), source: 'claimed', since: '2026-01-03T00:00:00.000Z', pending: false },
      { ...unnamed(names[1]), source: 'claimed', since: '2026-01-02T00:00:00.000Z', pending: false },
    ])
  })
})
