import type { Transaction } from '../../../db/client.ts'
import { DEPENDENCIES_MAX, DEPENDENCY_RULES } from '../../../domain/listings/listing.ts'
import { invalidField, invalidFields } from '../../../errors.ts'
import { findChanged } from '../../../lib/read-only.ts'
import { show } from '../../../lib/text/show.ts'
import type { GameRow } from '../../games/service.ts'
import { invalid } from './fields.ts'
import {
  type DependencyInput,
  type ListingPatch,
  SIMILAR_TITLES_MAX,
  type SimilarTitleInput,
} from './model.ts'
import { findPublicGames, replaceDependencies, replaceSimilarTitles } from './relation-queries.ts'

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

/** What else a body says about a listing must be so. */
function refuseChanged(sent: object | string | undefined, found: Found, path: string): void {
  const issues = typeof sent === 'object' ? findChanged({ ...sent }, found, path) : []
  if (issues.length > 0) throw invalidFields(issues)
}

function refuseSimilar(index: string, fault: string): never {
  throw invalidField(`similar_titles${index}`, fault, { kind: 'similar_title_invalid' })
}
