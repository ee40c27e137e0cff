import type { Db, Transaction } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import {
  type AssetType,
  DEPENDENCIES_MAX,
  DEPENDENCY_RULES,
  MODDING_TYPES,
  PARENT_RULES,
  PARENT_TYPES,
} from '../../../domain/listings/listing.ts'
import { findChanged, invalidField, invalidFields } from '../../../errors.ts'
import { isHttpsUrl } from '../../../lib/net/urls.ts'
import { describeName, NAME_MAX, parseName } from '../../../lib/text/names.ts'
import { show } from '../../../lib/text/show.ts'
import { findVisibleGame } from '../../games/service.ts'
import { invalid, parseModSettings } from './fields.ts'
import {
  type DependencyInput,
  type ListingPatch,
  type ParentInput,
  SIMILAR_TITLES_MAX,
  type SimilarTitleInput,
  WEBSITE_MAX,
} from './model.ts'
import {
  findPublicGames,
  type GameRow,
  type GameValues,
  isAncestor,
  replaceDependencies,
  replaceSimilarTitles,
} from './queries.ts'

type Owner = Pick<GameRow, 'uid' | 'assetType'>

/** Links to other listings; each list replaces the previous one. */
export async function saveRelations(tx: Transaction, game: Owner, patch: ListingPatch): Promise<void> {
  if (patch.similar_titles !== undefined) await saveSimilarTitles(tx, game.uid, patch.similar_titles ?? [])
  if (patch.dependencies !== undefined) await saveDependencies(tx, game, patch.dependencies ?? [])
}

async function saveSimilarTitles(
  tx: Transaction,
  gameUid: string,
  titles: readonly SimilarTitleInput[],
): Promise<void> {
  // A title can be sent twice, by uid and by vanity name.
  if (titles.length > 2 * SIMILAR_TITLES_MAX) refuseSimilar('', `must be at most ${SIMILAR_TITLES_MAX}.`)
  const refs = titles.map((title) => (typeof title === 'string' ? title : title.uid))
  const resolve = await createResolver(tx, refs)
  const uids = new Set<string>()
  for (const [index, ref] of refs.entries()) {
    const found = resolve(ref)
    if (found?.asset_type !== 'game')
      refuseSimilar(`.${index}`, `must be the uid or vanity name of a public game, not ${show(ref)}.`)
    if (found.uid === gameUid) refuseSimilar(`.${index}`, 'must not be the listing itself.')
    refuseChanged(titles[index], found, `similar_titles.${index}`)
    uids.add(found.uid)
  }
  if (uids.size > SIMILAR_TITLES_MAX) refuseSimilar('', `must be at most ${SIMILAR_TITLES_MAX}.`)
  await replaceSimilarTitles(tx, gameUid, [...uids])
}

async function saveDependencies(
  tx: Transaction,
  { uid: gameUid, assetType }: Owner,
  dependencies: readonly DependencyInput[],
): Promise<void> {
  if (dependencies.length > DEPENDENCIES_MAX) {
    invalid('dependencies', `must be at most ${DEPENDENCIES_MAX}.`)
  }
  const refs = dependencies.map(({ game, uid }) => game ?? uid ?? '')
  const resolve = await createResolver(tx, refs)
  const seen = new Set<string>()
  const links = dependencies.map((dependency, index) => {
    const path = `dependencies.${index}`
    const { kind } = dependency
    const game = refs[index] ?? ''
    const found =
      resolve(game) ??
      invalid(`${path}.game`, `must be the uid or vanity name of a public listing, not ${show(game)}.`)
    if (found.uid === gameUid) invalid(`${path}.game`, 'must not be the listing itself.')
    const { sources, targets } = DEPENDENCY_RULES[kind]
    if (!sources.includes(assetType))
      invalid(`${path}.kind`, `must not be ${show(kind)}: only a ${sources.join(' or ')} has it.`)
    if (!targets.includes(found.asset_type))
      invalid(
        `${path}.game`,
        `must be a ${targets.join(' or ')} when kind is ${show(kind)}, not a ${found.asset_type}.`,
      )
    const link = `${kind} ${found.uid}`
    if (seen.has(link)) invalid(path, `repeats ${kind} ${show(game)}; list it once.`)
    seen.add(link)
    refuseChanged(dependency, found, path)
    return { kind, targetUid: found.uid }
  })
  await replaceDependencies(tx, gameUid, links)
}

type Found = Awaited<ReturnType<typeof findPublicGames>>[number]

/** Resolves all references in one query. */
async function createResolver(tx: Transaction, refs: readonly string[]) {
  const found = refs.length === 0 ? [] : await findPublicGames(tx, refs)
  const byRef = new Map<string, Found>(
    found.flatMap((game) => [
      [game.uid, game],
      [game.vanity_name, game],
    ]),
  )
  return (ref: string): Found | undefined => byRef.get(ref) ?? byRef.get(ref.toLowerCase())
}

/** Other facts that a body states about a listing must match the listing. */
function refuseChanged(sent: object | string | undefined, found: Found, path: string): void {
  const issues = typeof sent === 'object' ? findChanged({ ...sent }, found, path) : []
  if (issues.length > 0) throw invalidFields(issues)
}

function refuseSimilar(index: string, fault: string): never {
  throw invalidField(`similar_titles${index}`, fault, { kind: 'similar_title_invalid' })
}

const NO_PARENT = { parentUid: null, parentExternalName: null, parentExternalUrl: null } as const

/** Fields that depend on the type: a type without a parent clears it, a type without mod settings clears those. */
export async function loadTypeFields(
  db: Db,
  editor: WebsiteUser,
  game: GameRow,
  patch: ListingPatch,
): Promise<GameValues> {
  const type = patch.asset_type ?? game.assetType
  return {
    assetType: type,
    ...(await loadParent(db, editor, game, type, patch)),
    ...parseSettings(type, patch),
  }
}

async function loadParent(
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
  const name = parseName(parent.external_name, NAME_MAX)
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
    refuseChangedParent(facts, found)
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
  refuseChangedParent(facts, found)
  return { ...NO_PARENT, parentUid: found.uid }
}

/**
 * Other facts that a body states about the parent must match it. For one the editor cannot see, they are
 * null.
 */
function refuseChangedParent(facts: Omit<ParentInput, 'game'>, found: GameRow | null): void {
  const present = {
    vanity_name: found?.vanityName ?? null,
    name: found?.name ?? null,
    asset_type: found?.assetType ?? null,
  }
  const issues = findChanged(facts, present, 'parent')
  if (issues.length > 0) throw invalidFields(issues)
}

function parseSettings(type: AssetType, { mod_settings: settings }: ListingPatch): GameValues {
  if (!MODDING_TYPES.includes(type)) {
    if (settings) {
      throw invalidField('mod_settings', 'must be left out or null: only mods and plugins have them.', {
        kind: 'mod_settings_invalid',
      })
    }
    return { modSettings: null }
  }
  if (settings === undefined) return {}
  return { modSettings: settings === null ? null : parseModSettings(settings) }
}

function refuse(field: string, fault: string): never {
  throw invalidField(field === '' ? 'parent' : `parent.${field}`, fault, { kind: 'parent_invalid' })
}
