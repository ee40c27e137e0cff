import type { Transaction } from '../../../db/client.ts'
import { DEPENDENCIES_MAX, DEPENDENCY_RULES } from '../../../domain/listing.ts'
import { AppError } from '../../../errors.ts'
import { show } from '../../../lib/show.ts'
import type { GameRow } from '../../games/service.ts'
import { invalid } from './fields.ts'
import type { DependencyInput, ListingPatch } from './model.ts'
import { findPublicGames, replaceDependencies, replaceSimilarTitles } from './relation-queries.ts'

const SIMILAR_TITLES_MAX = 10

type Owner = Pick<GameRow, 'uid' | 'assetType'>

/** Links to other listings; each list replaces the previous one. */
export async function saveRelations(tx: Transaction, game: Owner, patch: ListingPatch): Promise<void> {
  if (patch.similar_titles !== undefined) await saveSimilarTitles(tx, game.uid, patch.similar_titles ?? [])
  if (patch.dependencies !== undefined) await saveDependencies(tx, game, patch.dependencies ?? [])
}

async function saveSimilarTitles(tx: Transaction, gameUid: string, refs: readonly string[]): Promise<void> {
  // A title can be sent twice, by uid and by vanity name.
  if (refs.length > 2 * SIMILAR_TITLES_MAX)
    refuseSimilar(`A listing can have at most ${SIMILAR_TITLES_MAX} similar titles.`)
  const resolve = await createResolver(tx, refs)
  const uids = new Set<string>()
  for (const ref of refs) {
    const found = resolve(ref)
    if (found?.asset_type !== 'game') refuseSimilar(`${show(ref)} is not a public game.`)
    if (found.uid === gameUid) refuseSimilar('A listing cannot be similar to itself.')
    uids.add(found.uid)
  }
  if (uids.size > SIMILAR_TITLES_MAX)
    refuseSimilar(`A listing can have at most ${SIMILAR_TITLES_MAX} similar titles.`)
  await replaceSimilarTitles(tx, gameUid, [...uids])
}

async function saveDependencies(
  tx: Transaction,
  { uid: gameUid, assetType }: Owner,
  dependencies: readonly DependencyInput[],
): Promise<void> {
  if (dependencies.length > DEPENDENCIES_MAX) {
    invalid('dependencies', `A listing can have at most ${DEPENDENCIES_MAX} dependencies.`)
  }
  const refs = dependencies.map(({ game }) => game)
  const resolve = await createResolver(tx, refs)
  const seen = new Set<string>()
  const links = dependencies.map(({ kind, game }, index) => {
    const path = `dependencies.${index}`
    const found = resolve(game) ?? invalid(`${path}.game`, `There is no public listing ${show(game)}.`)
    if (found.uid === gameUid) invalid(`${path}.game`, 'A listing cannot depend on itself.')
    const { sources, targets } = DEPENDENCY_RULES[kind]
    if (!sources.includes(assetType))
      invalid(`${path}.kind`, `${path}.kind: only a ${sources.join(' or ')} has "${kind}".`)
    if (!targets.includes(found.asset_type))
      invalid(
        `${path}.game`,
        `${path}.game: "${kind}" points at a ${targets.join(', ')}, not at a ${found.asset_type}.`,
      )
    const link = `${kind} ${found.uid}`
    if (seen.has(link)) invalid(path, `${show(game)} is listed twice as ${kind}.`)
    seen.add(link)
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

function refuseSimilar(message: string): never {
  throw new AppError('similar_title_invalid', { message })
}
