import { type GameRow, insertAdmin, insertGame } from './listings.ts'
import { type Person, signUp } from './people.ts'
import type { TestServer } from './server.ts'

/** What somebody is for a listing; `other` has nothing to do with it. */
export type Role = 'owner' | 'admin' | 'invited' | 'other'
export type People = Record<Role, Person>

export async function signUpRoles(server: TestServer): Promise<People> {
  const [owner, admin, invited, other] = await Promise.all([
    signUp(server),
    signUp(server),
    signUp(server),
    signUp(server),
  ])
  return { owner, admin, invited, other }
}

/** A listing of the owner, with the admin and the one who is invited. */
export async function insertTeamGame(
  server: TestServer,
  { owner, admin, invited }: People,
  visibility: GameRow['visibility'],
): Promise<GameRow> {
  const game = await insertGame(server, owner, { visibility })
  await insertAdmin(server, game.uid, admin, 'accepted')
  await insertAdmin(server, game.uid, invited, 'invited')
  return game
}

/** Who may edit a listing of this visibility, and the status that refuses the others. */
export const EDITORS: [Role, GameRow['visibility'], refusal: number | null][] = [
  ['owner', 'draft', null],
  ['owner', 'public', null],
  ['admin', 'draft', null],
  ['admin', 'owner', null],
  ['admin', 'public', null],
  ['invited', 'draft', 404],
  ['invited', 'public', 403],
  ['other', 'draft', 404],
  ['other', 'owner', 404],
  ['other', 'public', 403],
]
