import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { images } from '../../../../src/db/schema/games/game-pages.ts'
import { licenses } from '../../../../src/db/schema/games/game-players.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { LicenseSource } from '../../../../src/domain/listings/listing.ts'
import type { InstallableItem } from '../../../../src/features/catalog/installs/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { releaseWeb } from '../../../helpers/play.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const player = usePerson(server)
let bearer: { authorization: string }
beforeAll(async () => {
  const created = await player.json('POST', '/api/v1/private/player-keys', {
    label: 'launcher',
    scopes: ['player:install', 'player:read'],
  })
  bearer = { authorization: `Bearer ${(await readData<{ key: string }>(created)).key}` }
})

interface Held {
  game: GameRow
  fileUid: string
}

type Values = Parameters<typeof insertPublicGame>[2]

/** A web game that the player holds, unless `source` is null. */
async function hold(source: LicenseSource | null, values: Values = {}): Promise<Held> {
  const game = await insertPublicGame(server, owner, { priceCents: 500, ...values })
  const { fileUid } = await releaseWeb(server, game.uid)
  if (source !== null) {
    await server.deps.db
      .insert(licenses)
      .values({ userUid: player.uid, gameUid: game.uid, gameName: game.name, source })
  }
  return { game, fileUid }
}

async function optIn(adult_content: boolean): Promise<void> {
  expect((await player.json('PATCH', '/api/v1/private/me', { adult_content })).status).toBe(200)
}

/** A test that failed may have left it on. */
beforeEach(() => optIn(false))

const listen = (path: string) => server.fetch(`/api/v1/player${path}`, { headers: bearer })

/** The status of every way to the files. */
async function tryDoors({ game, fileUid }: Held): Promise<Record<string, number>> {
  const answers = {
    download: await player.fetch(`/api/v1/private/games/${game.uid}/files/${fileUid}/download`),
    button: await player.fetch(`/games/${game.uid}/files/${fileUid}/download`, { redirect: 'manual' }),
    builds: await listen(`/games/${game.uid}/builds`),
    install: await listen(`/files/${fileUid}/download`),
    contents: await listen(`/files/${fileUid}/contents`),
    play: await player.json('POST', `/api/v1/private/games/${game.uid}/play`, {}),
    playPage: await player.fetch(`/games/${game.uid}/play`),
  }
  return Object.fromEntries(Object.entries(answers).map(([door, { status }]) => [door, status]))
}

const ALL_OPEN = {
  download: 200,
  button: 302,
  builds: 200,
  install: 200,
  contents: 200,
  play: 201,
  playPage: 200,
}
const allClosed = (status: number) =>
  Object.fromEntries(Object.keys(ALL_OPEN).map((door) => [door, status])) as typeof ALL_OPEN

async function findItem({ game }: Held, path = '/library'): Promise<InstallableItem | undefined> {
  const { items } = await readData<Paged<InstallableItem>>(await listen(`${path}?page_size=100`))
  return items.find((item) => item.game.uid === game.uid)
}

describe('a hidden page', () => {
  test.each(['bought', 'key'] as const)('keeps its files for who has it by %s', async (source) => {
    const held = await hold(source)
    for (const visibility of ['draft', 'owner', 'invisible'] as const) {
      await server.deps.db.update(games).set({ visibility }).where(eq(games.uid, held.game.uid))
      expect({ visibility, ...(await tryDoors(held)) }).toEqual({ visibility, ...ALL_OPEN })
      const item = await findItem(held)
      expect(item?.builds.map(({ file_uid }) => file_uid)).toEqual([held.fileUid])
      expect(item?.unavailable).toBeNull()
    }
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, held.game.uid))
    expect((await player.fetch(`/games/${held.game.vanityName}`)).status).toBe(404)
    const library = await (await player.fetch('/library')).text()
    expect(library).toContain(`/games/${held.game.uid}/files/${held.fileUid}/download`)
    expect(library).toContain(`/games/${held.game.uid}/play`)
  })

  test('takes its files along for who only claimed it or was given it, and for strangers', async () => {
    for (const source of ['claimed', 'granted', null] as const) {
      const held = await hold(source, { visibility: 'draft' })
      expect({ source, ...(await tryDoors(held)) }).toEqual({ source, ...allClosed(404) })
    }
  })

  test('that was taken down has no files for anybody', async () => {
    const held = await hold('bought')
    const operator = await signUpOperator(server)
    await act(operator, `listings/${held.game.uid}/take-down`, { reason: 'Stolen.' })
    expect(await tryDoors(held)).toEqual(allClosed(404))
    expect(await findItem(held)).toMatchObject({ builds: [], unavailable: 'missing' })
  })

  test('stays open to who bought it before the owner gave it away', async () => {
    const held = await hold('bought')
    const orderUid = crypto.randomUUID()
    const isTheirs = and(eq(licenses.userUid, player.uid), eq(licenses.gameUid, held.game.uid))
    await server.deps.db.update(licenses).set({ orderUid }).where(isTheirs)
    const { username } = await readData<{ username: string }>(await player.fetch('/api/v1/private/me'))
    await owner.json('POST', `/api/v1/private/games/${held.game.uid}/licenses`, { username })
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, held.game.uid))
    expect(await tryDoors(held)).toEqual(ALL_OPEN)
  })
})

describe('an adult listing', () => {
  test.each(['bought', 'key', 'claimed', 'granted'] as const)(
    'that is %s asks for the opt-in at every door',
    async (source) => {
      const held = await hold(source, { adult: true })
      expect(await tryDoors(held)).toEqual(allClosed(403))
      const refused = await player.fetch(
        `/api/v1/private/games/${held.game.uid}/files/${held.fileUid}/download`,
      )
      const failure = await readFailure(refused)
      expect(failure).toMatchObject({ code: 4030 })
      expect(failure.message).toContain('Turn on adult content')
      expect(await findItem(held)).toMatchObject({ unavailable: 'adult', builds: [] })
      await optIn(true)
      // Rights to play are remembered for a moment.
      await waitFor('the doors are open', async () => Bun.deepEquals(await tryDoors(held), ALL_OPEN))
    },
  )

  test('is claimed only with the opt-in, by session and by key', async () => {
    const { game } = await hold(null, { adult: true, priceCents: 0 })
    const claim = () => player.json('POST', `/api/v1/private/games/${game.uid}/claim`, {})
    const byKey = () =>
      server.fetch(`/api/v1/player/games/${game.uid}/claim`, { method: 'POST', headers: bearer })
    expect(await readFailure(await claim())).toMatchObject({ status: 403, code: 4030 })
    expect(await readFailure(await byKey())).toMatchObject({ status: 403, code: 4030 })
    await optIn(true)
    expect((await claim()).status).toBe(201)
    expect((await byKey()).status).toBe(200)
  })

  test('shows its cover nowhere without the opt-in', async () => {
    const parent = await insertPublicGame(server, owner, {})
    const { game } = await hold('granted', { adult: true, assetType: 'mod', parentUid: parent.uid })
    const [cover] = await server.deps.db.select().from(images).where(eq(images.gameUid, game.uid))
    const file = cover?.objectKey.split('/').at(-1) ?? ''
    expect(file).not.toBe('')
    const doors = [
      () => player.fetch('/api/v1/private/library?page_size=100'),
      () => player.fetch('/library'),
      () => listen('/library?page_size=100'),
      () => server.fetch(`/api/v1/public/games/${game.uid}`),
      () => server.fetch(`/api/v1/public/games/${game.uid}`, { headers: bearer }),
      () => server.fetch(`/api/v1/public/games/${parent.uid}/children`),
      () => server.fetch(`/games/${parent.vanityName}`),
      () => server.fetch(`/games/${parent.vanityName}/mods`),
      () => player.fetch(`/games/${game.vanityName}`),
    ]
    const seen = async () =>
      await Promise.all(doors.map(async (door) => (await (await door()).text()).includes(file)))
    expect(await seen()).toEqual(doors.map(() => false))
    await optIn(true)
    expect((await seen()).slice(0, 3)).toEqual([true, true, true])
    expect((await seen())[4]).toBe(true)
  })
})
