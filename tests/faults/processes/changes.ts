import { LIMITS } from '../../../src/domain/limit-table.ts'
import type { Listing } from '../../../src/features/catalog/pages/model.ts'
import type { SearchAnswer } from '../../../src/features/catalog/search/model.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { asPerson, type Person, randomAddress, signUp } from '../../helpers/people.ts'
import { indexNow } from '../../helpers/search/search.ts'
import type { ReachableServer } from '../../helpers/server.ts'
import { obtainToken } from '../../helpers/sign-in/oauth.ts'
import { UPLOAD_PATH } from '../../helpers/uploads/uploads.ts'
import { PROMPT_MS, waitFor } from '../../helpers/wait.ts'
import type { Fleet, MemberName } from './fleet.ts'

/** Something that is changed through one process and read through others. */
export interface Change {
  readers: readonly MemberName[]
  read(at: ReachableServer): Promise<unknown>
  before: unknown
  after: unknown
  make(at: ReachableServer): Promise<unknown>
}

export interface World {
  fleet: Fleet
  owner: Person
}

const APIS = ['api1', 'api2'] as const

export async function publish({ fleet, owner }: World): Promise<GameRow> {
  const game = await insertPublicGame(fleet.server, owner)
  await indexNow(fleet.server, game.uid)
  return game
}

export const CHANGES: Readonly<Record<string, (world: World) => Promise<Change>>> = {
  'a page': async (world) => {
    const game = await publish(world)
    const path = `/api/v1/public/games/${game.uid}`
    return {
      readers: APIS,
      read: async (at) => (await readData<Listing>(await at.fetch(path))).tagline,
      before: game.tagline,
      after: 'Changed.',
      make: (at) => send(at, world.owner, 'PATCH', game, '', { tagline: 'Changed.' }),
    }
  },
  'the page of the website': async (world) => {
    const game = await publish(world)
    return {
      readers: APIS,
      read: async (at) => (await (await at.fetch(`/games/${game.vanityName}`)).text()).includes('Renamed.'),
      before: false,
      after: true,
      make: (at) => send(at, world.owner, 'PATCH', game, '', { tagline: 'Renamed.' }),
    }
  },
  'a card': async (world) => {
    const game = await publish(world)
    return {
      readers: APIS,
      read: async (at) => (await findCard(at, game))?.tagline,
      before: game.tagline,
      after: 'On the card.',
      make: (at) => send(at, world.owner, 'PATCH', game, '', { tagline: 'On the card.' }),
    }
  },
  'a hidden page': async (world) => {
    const game = await publish(world)
    const readPage = async (at: ReachableServer) =>
      (await at.fetch(`/api/v1/public/games/${game.uid}`)).status
    return {
      readers: APIS,
      read: async (at) => [await readPage(at), (await findCard(at, game)) !== undefined],
      before: [200, true],
      after: [404, false],
      make: (at) => send(at, world.owner, 'PUT', game, '/visibility', { visibility: 'owner' }),
    }
  },
  'a player key': async (world) => {
    const answer = await world.owner.json('POST', '/api/v1/private/player-keys', { label: 'Console' })
    const { uid, key } = await readData<{ uid: string; key: string }>(answer)
    const game = await publish(world)
    return {
      readers: APIS,
      read: (at) => readStatus(at, `/api/v1/public/games/${game.uid}`, { authorization: `Bearer ${key}` }),
      before: 200,
      after: 401,
      make: (at) => asPerson(at, world.owner).json('DELETE', `/api/v1/private/player-keys/${uid}`),
    }
  },
  'a deploy key': async (world) => {
    const game = await publish(world)
    await world.owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
    const path = `/api/v1/private/games/${game.uid}/deploy-keys`
    const issue = (name: MemberName) => asPerson(world.fleet.at(name), world.owner).json('POST', path)
    for (const name of APIS)
      await waitFor(`${name} knows the developer`, async () => (await issue(name)).ok, PROMPT_MS)
    const { access_token, secret_key } = await readData<{ access_token: string; secret_key: string }>(
      await world.owner.json('POST', path),
    )
    const headers = { 'x-access-token': access_token, 'x-secret-key': secret_key }
    return {
      readers: ['upload1', 'upload2'],
      read: (at) => readStatus(at, `${UPLOAD_PATH}/sessions/${crypto.randomUUID()}`, headers),
      before: 404,
      after: 401,
      make: (at) => asPerson(at, world.owner).json('POST', path),
    }
  },
  'an OAuth token': async (world) => {
    const { clientId, access_token } = await obtainToken(world.fleet.front, world.owner, 'player:read')
    const game = await publish(world)
    const headers = { authorization: `Bearer ${access_token}` }
    return {
      readers: APIS,
      read: (at) => readStatus(at, `/api/v1/public/games/${game.uid}`, headers),
      before: 200,
      after: 401,
      make: (at) => asPerson(at, world.owner).json('DELETE', `/api/v1/private/me/programs/${clientId}`),
    }
  },
  'a session': async ({ fleet }) => {
    const person = await signUp(fleet.front)
    return {
      readers: APIS,
      read: async (at) => (await asPerson(at, person).fetch('/api/v1/private/me')).status,
      before: 200,
      after: 401,
      make: (at) => asPerson(at, person).json('POST', '/api/auth/sign-out', {}),
    }
  },
  'a limit': async ({ fleet }) => {
    const person = { ...(await signUp(fleet.front)), address: randomAddress() }
    const path = '/api/v1/private/me/export'
    return {
      readers: APIS,
      read: async (at) => (await asPerson(at, person).fetch(path)).status,
      before: 200,
      after: 429,
      make: async (at) => {
        const requests = Array.from({ length: LIMITS.accounts.max }, () => asPerson(at, person).fetch(path))
        await Promise.all(requests)
      },
    }
  },
}

async function send(
  at: ReachableServer,
  owner: Person,
  method: string,
  game: GameRow,
  path: string,
  body: object,
): Promise<void> {
  const answer = await asPerson(at, owner).json(method, `/api/v1/private/games/${game.uid}${path}`, body)
  if (!answer.ok) throw new Error(`The change returned ${answer.status}: ${await answer.text()}`)
}

async function findCard(at: ReachableServer, game: GameRow) {
  const answer = await at.fetch(`/api/v1/public/search?q=${encodeURIComponent(game.name)}&page_size=50`, {
    headers: { 'x-forwarded-for': randomAddress() },
  })
  return (await readData<SearchAnswer>(answer)).items.find(({ uid }) => uid === game.uid)
}

async function readStatus(
  at: ReachableServer,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  return (await at.fetch(path, { headers: { 'x-forwarded-for': randomAddress(), ...headers } })).status
}
