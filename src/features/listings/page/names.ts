import type { Transaction } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { slugify } from '../../../lib/text/names.ts'
import { countRename } from '../../games/service.ts'
import { requireVanityName } from './fields.ts'
import { type GameRow, keepOldName, reserveName } from './queries.ts'

/** Pages of the studio share a path with those of listings: `/studio/sales` and `/studio/{vanity_name}`. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  'new import preview sales payouts jams posts following wishlist notices'.split(' '),
)

const NAME_LENGTH = 56
const SHORTEST = 3
/** Letters that an address cannot contain. */
const OTHER_LETTERS = /(?!\p{Script=Latin})\p{L}/u

interface Named {
  name: string
  tagline?: string | null | undefined
}

/** Whether an address can be derived from a name; it cannot if the name is in a script other than Latin. */
export function suggestsAddress(name: string): boolean {
  return slugify(name, NAME_LENGTH).length >= SHORTEST || !OTHER_LETTERS.test(name)
}

/** Derives the vanity name of a new listing when none was requested. */
export async function generateVanityName(
  tx: Transaction,
  gameUid: string,
  username: string,
  named: Named,
): Promise<string> {
  const base = suggestAddress(username, named)
  if (!RESERVED_NAMES.has(base) && (await reserveName(tx, base, gameUid))) return base
  const unique = `${base}-${crypto.randomUUID().slice(0, 6)}`
  if (await reserveName(tx, unique, gameUid)) return unique
  throw taken(unique)
}

function suggestAddress(username: string, { name, tagline }: Named): string {
  if (!suggestsAddress(name)) {
    const told = slugify(tagline ?? '', NAME_LENGTH)
    return told.length < SHORTEST || isUid(told) ? `${username}-game` : told
  }
  const slug = slugify(name, NAME_LENGTH)
  return slug.length < SHORTEST || isUid(slug) ? `game-${slug}`.replace(/-$/, '') : slug
}

export async function claimVanityName(tx: Transaction, gameUid: string, name: string): Promise<string> {
  requireVanityName(name)
  if (RESERVED_NAMES.has(name))
    throw new AppError('taken', { message: `The name ${name} is reserved. Choose another.` })
  if (!(await reserveName(tx, name, gameUid))) throw taken(name)
  return name
}

/** The old name redirects to the new one. */
export async function rename(
  tx: Transaction,
  { userUid }: WebsiteUser,
  game: GameRow,
  name: string,
): Promise<string> {
  if (name === game.vanityName) return name
  await countRename(tx, userUid)
  await claimVanityName(tx, game.uid, name)
  await keepOldName(tx, game.uid, game.vanityName, name)
  return name
}

function taken(name: string): AppError {
  return new AppError('taken', { message: `The name ${name} is already taken. Choose another.` })
}
