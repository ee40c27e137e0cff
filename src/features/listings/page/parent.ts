import type { Db } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { type AssetType, MODDING_TYPES, PARENT_RULES, PARENT_TYPES } from '../../../domain/listing.ts'
import { AppError } from '../../../errors.ts'
import { describeName, NAME_MAX, readName } from '../../../lib/names.ts'
import { show } from '../../../lib/show.ts'
import { isHttpsUrl } from '../../../lib/urls.ts'
import { findVisibleGame } from '../../games/service.ts'
import { readModSettings } from './fields.ts'
import { type ListingPatch, type ParentInput, WEBSITE_MAX } from './model.ts'
import { type GameRow, type GameValues, isAncestor } from './queries.ts'

const NO_PARENT = { parentUid: null, parentExternalName: null, parentExternalUrl: null } as const

/** Fields that depend on the type: a type without a parent clears it, a type without mod settings clears those. */
export async function readTypeFields(
  db: Db,
  editor: WebsiteUser,
  game: GameRow,
  patch: ListingPatch,
): Promise<GameValues> {
  const type = patch.asset_type ?? game.assetType
  return {
    assetType: type,
    ...(await readParent(db, editor, game, type, patch)),
    ...readSettings(type, patch),
  }
}

async function readParent(
  db: Db,
  editor: WebsiteUser,
  game: GameRow,
  type: AssetType,
  { parent }: ListingPatch,
): Promise<GameValues> {
  if (PARENT_RULES[type] === 'none') {
    if (parent) refuse(`A ${type} has no parent.`)
    return NO_PARENT
  }
  if (parent === undefined) return {}
  return parent === null ? NO_PARENT : await resolveParent(db, editor, game, parent)
}

async function resolveParent(
  db: Db,
  editor: WebsiteUser,
  game: GameRow,
  parent: ParentInput,
): Promise<GameValues> {
  const isExternal = parent.external_name !== undefined || parent.external_url !== undefined
  if (parent.game !== undefined && !isExternal) return await resolveGame(db, editor, game, parent.game)
  if (parent.game !== undefined || !isExternal) {
    refuse('A parent must be either a listing here, or external_name with external_url.')
  }
  const name = readName(parent.external_name, NAME_MAX)
  if (name === null) refuse(`external_name is ${describeName(NAME_MAX)}.`)
  const url = parent.external_url ?? ''
  if (!isHttpsUrl(url, WEBSITE_MAX)) refuse('external_url must be the https:// address of the parent.')
  return { parentUid: null, parentExternalName: name, parentExternalUrl: url }
}

/**
 * Listings that the editor cannot see are refused like unknown ones. The current parent is accepted, even if it is
 * hidden now.
 */
async function resolveGame(db: Db, editor: WebsiteUser, game: GameRow, ref: string): Promise<GameValues> {
  if (ref.toLowerCase() === game.parentUid) return { ...NO_PARENT, parentUid: game.parentUid }
  const found = await findVisibleGame(db, editor, ref)
  if (!found || (found.ownerUid !== game.ownerUid && found.visibility !== 'public')) {
    return refuse(`There is no game or application ${show(ref)}. Choose another parent.`)
  }
  if (found.uid === game.uid) refuse('A listing cannot be its own parent.')
  if (!PARENT_TYPES.includes(found.assetType)) refuse('The parent must be a game or an application.')
  if (await isAncestor(db, game.uid, found.uid)) refuse('The parent is itself a child of this listing.')
  return { ...NO_PARENT, parentUid: found.uid }
}

function readSettings(type: AssetType, { mod_settings: settings }: ListingPatch): GameValues {
  if (!MODDING_TYPES.includes(type)) {
    if (settings) {
      throw new AppError('mod_settings_invalid', { message: 'Only mods and plugins can have mod settings.' })
    }
    return { modSettings: null }
  }
  if (settings === undefined) return {}
  return { modSettings: settings === null ? null : readModSettings(settings) }
}

function refuse(message: string): never {
  throw new AppError('parent_invalid', { message })
}
