import type { Transaction } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { slugify } from '../../../lib/text/slug.ts'
import { countRename } from '../../games/renames.ts'
import { requireVanityName } from './fields.ts'
import { RESERVED_NAMES } from './model.ts'
import { type GameRow, keepOldName, reserveName } from './queries.ts'

const NAME_LENGTH = 56
const SHORTEST = 3

/** Derives the vanity name of a new listing when none was requested. */
export async function generateVanityName(tx: Transaction, gameUid: string, name: string): Promise<string> {
  const slug = slugify(name, NAME_LENGTH)
  const base = slug.length < SHORTEST || isUid(slug) ? `game-${slug}`.replace(/-$/, '') : slug
  if (!RESERVED_NAMES.has(base) && (await reserveName(tx, base, gameUid))) return base
  const unique = `${base}-${crypto.randomUUID().slice(0, 6)}`
  if (await reserveName(tx, unique, gameUid)) return unique
  throw taken(unique)
}

export async function takeVanityName(tx: Transaction, gameUid: string, name: string): Promise<string> {
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
  await takeVanityName(tx, game.uid, name)
  await keepOldName(tx, game.uid, game.vanityName, name)
  return name
}

function taken(name: string): AppError {
  return new AppError('taken', { message: `The name ${name} is already taken. Choose another.` })
}
