import type { Db } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import {
  type AssetType,
  MODDING_TYPES,
  PARENT_RULES,
  PARENT_TYPES,
} from '../../../domain/listings/listing.ts'
import { invalidField, invalidFields } from '../../../errors.ts'
import { isHttpsUrl } from '../../../lib/net/urls.ts'
import { findChanged } from '../../../lib/read-only.ts'
import { describeName, NAME_MAX, readName } from '../../../lib/text/names.ts'
import { show } from '../../../lib/text/show.ts'
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
    if (parent) refuse('', `must be left out or null: a listing of type ${type} has no parent.`)
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
  if (parent.game !== undefined && !isExternal) {
    const { game: ref, ...facts } = parent
    return await resolveGame(db, editor, game, ref, facts)
  }
  if (parent.game !== undefined || !isExternal) {
    refuse('', 'must have either game, or external_name with external_url.')
  }
  const name = readName(parent.external_name, NAME_MAX)
  if (name === null) refuse('external_name', `must be ${describeName(NAME_MAX)}.`)
  const url = parent.external_url ?? ''
  if (!isHttpsUrl(url, WEBSITE_MAX))
    refuse(
      'external_url',
      `must be the https:// address of the parent, with at most ${WEBSITE_MAX} characters.`,
    )
  return { parentUid: null, parentExternalName: name, parentExternalUrl: url }
}

/**
 * Listings that the editor cannot see are refused like unknown ones. The current parent is accepted, even if it is
 * hidden now.
 */
async function resolveGame(
  db: Db,
  editor: WebsiteUser,
  game: GameRow,
  ref: string,
  facts: Omit<ParentInput, 'game'>,
): Promise<GameValues> {
  const found = await findVisibleGame(db, editor, ref)
  if (ref.toLowerCase() === game.parentUid) {
    refuseChanged(facts, found)
    return { ...NO_PARENT, parentUid: game.parentUid }
  }
  if (!found || (found.ownerUid !== game.ownerUid && found.visibility !== 'public')) {
    return refuse(
      'game',
      `must be the uid or vanity name of a public game or application, or one of your own, not ${show(ref)}.`,
    )
  }
  if (found.uid === game.uid) refuse('game', 'must not be the listing itself.')
  if (!PARENT_TYPES.includes(found.assetType))
    refuse('game', `must be a game or an application, not a listing of type ${found.assetType}.`)
  if (await isAncestor(db, game.uid, found.uid)) refuse('game', 'must not be a child of this listing.')
  refuseChanged(facts, found)
  return { ...NO_PARENT, parentUid: found.uid }
}

/** What else a body says about the parent must be so; answers say nothing about one that the editor cannot see. */
function refuseChanged(facts: Omit<ParentInput, 'game'>, found: GameRow | null): void {
  const present = {
    vanity_name: found?.vanityName ?? null,
    name: found?.name ?? null,
    asset_type: found?.assetType ?? null,
  }
  const issues = findChanged(facts, present, 'parent')
  if (issues.length > 0) throw invalidFields(issues)
}

function readSettings(type: AssetType, { mod_settings: settings }: ListingPatch): GameValues {
  if (!MODDING_TYPES.includes(type)) {
    if (settings) {
      throw invalidField('mod_settings', 'must be left out or null: only mods and plugins have them.', {
        kind: 'mod_settings_invalid',
      })
    }
    return { modSettings: null }
  }
  if (settings === undefined) return {}
  return { modSettings: settings === null ? null : readModSettings(settings) }
}

function refuse(field: string, fault: string): never {
  throw invalidField(field === '' ? 'parent' : `parent.${field}`, fault, { kind: 'parent_invalid' })
}
