import { editions } from '../../../src/db/schema/games/game-pages.ts'
import type { KeyBatch, KeysInput, NewKeys } from '../../../src/features/selling/keys/model.ts'
import type { Paged } from '../../../src/lib/paging.ts'
import { readData } from '../json.ts'
import type { Person } from '../people.ts'
import type { TestServer } from '../server.ts'

export const keysPath = (gameUid: string) => `/api/v1/private/games/${gameUid}/keys`

export async function makeKeys(
  owner: Person,
  gameUid: string,
  input: Partial<KeysInput> = {},
): Promise<NewKeys> {
  const answer = await owner.json('POST', keysPath(gameUid), { count: 1, label: 'Press', ...input })
  if (answer.status !== 201) throw new Error(`Keys answered ${answer.status}: ${await answer.text()}`)
  return await readData<NewKeys>(answer)
}

export async function makeCode(
  owner: Person,
  gameUid: string,
  input: Partial<KeysInput> = {},
): Promise<string> {
  const [code = ''] = (await makeKeys(owner, gameUid, input)).codes
  return code
}

export async function readBatches(person: Person, gameUid: string): Promise<KeyBatch[]> {
  return (await readData<Paged<KeyBatch>>(await person.fetch(keysPath(gameUid)))).items
}

export function redeem(person: Person, code: string): Promise<Response> {
  return person.json('POST', '/api/v1/private/redeem', { code })
}

export async function insertEdition({ deps }: TestServer, gameUid: string): Promise<string> {
  const [row] = await deps.db
    .insert(editions)
    .values({ gameUid, name: 'Deluxe', priceCents: 1999 })
    .returning()
  return row?.uid ?? ''
}
