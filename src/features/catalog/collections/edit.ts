import type { Db, Transaction } from '../../../db/client.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import { notify } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, seesAdult } from '../../../domain/actor.ts'
import { COLLECTION_SLUG_MAX, COLLECTION_TITLE_MAX, COLLECTIONS_MAX } from '../../../domain/collections.ts'
import { AppError, invalidField, invalidFields, type Issue, issueAt } from '../../../errors.ts'
import { describeName, hasUnfitCharacter, parseName, slugify } from '../../../lib/text/names.ts'
import type { LoadCards } from '../pages/cards.ts'
import type { Card } from '../pages/model.ts'
import type { CollectionPatch } from './model.ts'
import * as queries from './queries.ts'
import { ALL_COLLECTIONS, COLLECTIONS_CHANGED } from './service.ts'

export type CollectionRow = queries.CollectionRow

/** Includes collections that are not shown now; newest first. */
export async function listCollections(db: Db): Promise<CollectionRow[]> {
  return await queries.listCollections(db)
}

/** `ref` is a uid or a slug. */
export async function getCollection(db: Db, ref: string): Promise<CollectionRow> {
  return await found(queries.findCollection(db, ref))
}

/** The listings of a collection in their order, in any state. Those that were deleted are missing. */
export async function listMembers(db: Db, uids: readonly string[]) {
  const byUid = new Map((await queries.listNamedGames(db, uids)).map((game) => [game.uid, game]))
  return uids.flatMap((uid) => byUid.get(uid) ?? [])
}
export type Member = Awaited<ReturnType<typeof listMembers>>[number]

/** Cards of the public ones among these listings, by uid or vanity name, in the order given. */
export async function listNamedCards(
  db: Db,
  loadCards: LoadCards,
  visitor: Actor,
  refs: readonly string[],
): Promise<Card[]> {
  const rows = await queries.listNamedGames(db, refs)
  const uids = refs.flatMap(
    (ref) => rows.find(({ uid, vanityName }) => uid === ref || vanityName === ref)?.uid ?? [],
  )
  const cards = await loadCards(uids)
  return seesAdult(visitor) ? cards : cards.filter(({ adult }) => !adult)
}

/** Runs the change and notifies every process on commit; this one shows it with its next answer. */
export async function changeCollections<Result>(
  { db }: Pick<Deps, 'db'>,
  change: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.transaction(async (tx) => {
      const changed = await change(tx)
      await notify(tx, COLLECTIONS_CHANGED, ALL_COLLECTIONS)
      return changed
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw invalidField('slug', 'is taken: another collection has it. Choose another.', { kind: 'taken' })
  }
}

const NOTHING = {
  slug: '',
  title: '',
  text: '',
  gameUids: [],
  onHome: false,
  from: null,
  until: null,
} satisfies queries.NewCollection

/** Without a slug, it is derived from the title. */
export async function addCollection(tx: Transaction, sent: CollectionPatch): Promise<CollectionRow> {
  if ((await queries.countForAdding(tx)) >= COLLECTIONS_MAX) {
    throw new AppError('taken', {
      message: `There are ${COLLECTIONS_MAX} collections. Delete one that is over first.`,
    })
  }
  const slug = sent.slug ?? slugify(sent.title ?? '', COLLECTION_SLUG_MAX)
  // If the title is empty too, that error is reported instead.
  if (slug === '' && sent.title?.trim()) throw invalidField('slug', 'must be given: the title suggests none.')
  return await found(queries.insertCollection(tx, await loadChange(tx, NOTHING, { ...sent, slug })))
}

export async function editCollection(
  tx: Transaction,
  ref: string,
  patch: CollectionPatch,
): Promise<{ before: CollectionRow; after: CollectionRow }> {
  const before = await found(queries.lockCollection(tx, ref))
  const values = await loadChange(tx, before, patch)
  return { before, after: await found(queries.updateCollection(tx, before.uid, values)) }
}

export async function removeCollection(tx: Transaction, ref: string): Promise<CollectionRow> {
  const collection = await found(queries.lockCollection(tx, ref))
  await queries.deleteCollection(tx, collection.uid)
  return collection
}

async function found(row: Promise<CollectionRow | undefined>): Promise<CollectionRow> {
  const known = await row
  if (!known) throw new AppError('not_found')
  return known
}

/** All faults are reported together. */
async function loadChange(
  db: Db,
  before: queries.NewCollection,
  { title, slug, text, games, on_home, from, until }: CollectionPatch,
): Promise<queries.NewCollection> {
  const issues: Issue[] = []
  const time = (sent: string | null | undefined, was: Date | null | undefined) =>
    sent === undefined ? (was ?? null) : sent === null ? null : new Date(sent)
  const name = title === undefined ? before.title : parseName(title, COLLECTION_TITLE_MAX)
  if (name === null) issues.push(issueAt('title', `must be ${describeName(COLLECTION_TITLE_MAX)}.`))
  if (text !== undefined && hasUnfitCharacter(text))
    issues.push(issueAt('text', 'must be one line without control characters.'))
  const after = {
    slug: slug ?? before.slug,
    title: name ?? '',
    text: text?.trim() ?? before.text ?? '',
    gameUids: games === undefined ? before.gameUids : await listGames(db, before.gameUids, games, issues),
    onHome: on_home ?? before.onHome ?? false,
    from: time(from, before.from),
    until: time(until, before.until),
  }
  if (after.from && after.until && after.from >= after.until)
    issues.push(issueAt('until', 'must be later than `from`.'))
  if (issues.length > 0) throw invalidFields(issues)
  return after
}

/** Only public listings can be added; those that were hidden since keep their place. */
async function listGames(
  db: Db,
  known: readonly string[],
  sent: readonly string[],
  issues: Issue[],
): Promise<string[]> {
  const refs = sent.map((ref) => ref.trim().toLowerCase())
  const rows = await queries.listNamedGames(db, refs)
  const uids = refs.map((ref, index) => {
    const game = rows.find(({ uid, vanityName }) => uid === ref || vanityName === ref)
    if (game && (game.visibility === 'public' || known.includes(game.uid))) return game.uid
    if (known.includes(ref)) return ref
    issues.push(issueAt(`games.${index}`, 'must be the uid or name of a public listing.'))
    return ref
  })
  return [...new Set(uids)]
}
