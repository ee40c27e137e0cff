import type { SaveList, SaveRevision, WrittenSave } from '../../src/features/saves/slots/model.ts'
import type { Paged } from '../../src/lib/paging.ts'
import { readData, readFailure } from './json.ts'
import { type GameRow, insertLicense, insertPublicGame } from './listings.ts'
import { type Person, randomAddress, signUp } from './people.ts'
import type { TestServer } from './server.ts'

export type SaveBody = string | Uint8Array | ReadableStream

export interface SaveCalls {
  call(path: string, init?: RequestInit): Promise<Response>
  /** Writes with the headers; a text is the current revision, null a new slot. */
  put(slot: string, body: SaveBody, base: string | null, headers?: Record<string, string>): Promise<Response>
  /** Writes what is accepted, and returns it. */
  write(slot: string, body: SaveBody, base: string | null): Promise<WrittenSave>
  read(slot: string, revision?: string): Promise<Response>
  text(slot: string, revision?: string): Promise<string>
  bytes(slot: string, revision?: string): Promise<Uint8Array>
  list(query?: string): Promise<SaveList>
  history(slot: string, query?: string): Promise<Paged<SaveRevision>>
  remove(slot: string, query?: string): Promise<Response>
  restore(slot: string, revision?: string): Promise<Response>
}

/** Calls the saves of a game with a bearer, from an address of its own. */
export function callSaves(server: Pick<TestServer, 'fetch'>, game: string, bearer: string): SaveCalls {
  const base = `/api/v1/player/games/${game}/saves`
  const address = randomAddress()
  const call = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${bearer}`)
    headers.set('x-forwarded-for', address)
    return server.fetch(base + path, { ...init, headers })
  }
  const at = (slot: string) => `/${encodeURIComponent(slot)}`
  const revised = (revision?: string) => (revision === undefined ? '' : `?revision=${revision}`)
  const put: SaveCalls['put'] = (slot, body, known, headers = {}) =>
    call(at(slot), {
      method: 'PUT',
      body: body instanceof Uint8Array ? new Uint8Array(body) : body,
      headers: { ...(known === null ? { 'if-none-match': '*' } : { 'if-match': `"${known}"` }), ...headers },
    })
  const read: SaveCalls['read'] = (slot, revision) => call(at(slot) + revised(revision))
  async function requireRead(slot: string, revision?: string): Promise<Response> {
    const answer = await read(slot, revision)
    if (answer.status !== 200) throw new Error(`A read answered ${answer.status}`)
    return answer
  }
  return {
    call,
    put,
    async write(slot, body, known) {
      const answer = await put(slot, body, known)
      if (answer.status !== 201)
        throw new Error(`A write answered ${JSON.stringify(await readFailure(answer))}`)
      return await readData<WrittenSave>(answer)
    },
    read,
    text: async (slot, revision) => await (await requireRead(slot, revision)).text(),
    bytes: async (slot, revision) => new Uint8Array(await (await requireRead(slot, revision)).arrayBuffer()),
    list: async (query = '') => await readData<SaveList>(await call(query)),
    history: async (slot, query = '') => await readData(await call(`${at(slot)}/revisions${query}`)),
    remove: (slot, query = '') => call(at(slot) + query, { method: 'DELETE' }),
    restore: (slot, revision) =>
      call(`${at(slot)}/restore`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...(revision !== undefined && { revision }) }),
      }),
  }
}

export async function createSaveKey(person: Person, scopes = ['player:saves']): Promise<string> {
  const body = { label: 'for saves', scopes }
  return (await readData<{ key: string }>(await person.json('POST', '/api/v1/private/player-keys', body))).key
}

export interface SavePlayer {
  person: Person
  key: string
  saves: SaveCalls
}

/** A new player with a licence for the game. */
export async function newSavePlayer(server: TestServer, game: Pick<GameRow, 'uid'>): Promise<SavePlayer> {
  const person = await signUp(server)
  await insertLicense(server, game.uid, person)
  const key = await createSaveKey(person)
  return { person, key, saves: callSaves(server, game.uid, key) }
}

/** A public game that keeps saves. */
export async function newSaveGame(
  server: TestServer,
  owner: Person,
  values: Parameters<typeof insertPublicGame>[2] = {},
): Promise<GameRow> {
  return await insertPublicGame(server, owner, { savesEnabled: true, ...values })
}

export interface Conflict {
  theirs: string | null
  yours_kept_as: string
}

/** The revisions of a write that lost. */
export async function readConflict(answer: Response): Promise<Conflict> {
  const { status, code, data } = await readFailure<Conflict>(answer)
  if (status !== 412 || code !== 4123) throw new Error(`Not a conflict: ${status}/${code}`)
  return data
}

export async function listObjects({ deps }: Pick<TestServer, 'deps'>): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of deps.objects.list('saves/')) keys.push(key)
  return keys
}
