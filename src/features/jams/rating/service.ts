import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { seesAdult, type WebsiteUser } from '../../../domain/actor.ts'
import {
  findBallotRefusal,
  findVoterRefusal,
  type RatingRefusal,
  REFUSAL_TEXTS,
} from '../../../domain/jams/rating.ts'
import { YOUNG_ACCOUNT_DAYS } from '../../../domain/jams/vote-faults.ts'
import { AppError, invalidFields, type Issue, issueAt } from '../../../errors.ts'
import type { Keyring } from '../../../lib/keyring.ts'
import { networkOf } from '../../../lib/net/addresses.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { type JamAccess, jamClosed, type JamRow, lockJam, openJam, requireOpen } from '../access.ts'
import { updateFaults } from './faults.ts'
import { type OwnRating, Rating, type RatingInput } from './model.ts'
import * as queries from './queries.ts'

/** Rates an entry, or changes the rating, until the voting ends. `address` is that of the request. */
export async function rateEntry(
  deps: Pick<Deps, 'db' | 'keyring'>,
  user: WebsiteUser,
  ref: string,
  gameRef: string,
  input: RatingInput,
  address: string,
): Promise<{ rating: Rating; isNew: boolean }> {
  return await deps.db.transaction(async (tx) => {
    const access = await lockJam(tx, user, ref, 'share')
    const { jam, now } = access
    requireVoting(access)
    const ballot = await findBallot(tx, user, access, gameRef)
    const { voter, entry } = ballot
    if (ballot.refusal !== null) throw ratingRefused(ballot.refusal)
    const scores = parseScores(jam, input.scores)
    const accountDays = Math.max(0, Math.floor((now.getTime() - voter.createdAt.getTime()) / DAY_MS))
    const { row, isNew } = await queries.upsertRating(tx, {
      jamUid: jam.uid,
      entryUid: entry.entryUid,
      userUid: user.userUid,
      scores,
      comment: (input.comment ?? '').trim(),
      commentPublic: input.public ?? false,
      // Bursts are of young accounts: of others nothing is stored.
      networkHash: accountDays < YOUNG_ACCOUNT_DAYS ? hashNetwork(deps.keyring, jam.uid, address) : null,
      accountDays,
    })
    if (isNew) {
      await queries.countRating(tx, entry.entryUid, voter.ownEntries)
      await queries.markVisit(tx, entry.entryUid, user.userUid, 'rated')
      await updateFaults(tx, row)
    }
    return { rating: toRating(jam, entry.gameUid, row), isNew }
  })
}

/** One's own rating of an entry, at any time. */
export async function openOwnRating(
  { db }: Pick<Deps, 'db'>,
  user: WebsiteUser,
  ref: string,
  gameRef: string,
): Promise<Rating | null> {
  const { jam } = await openJam(db, user, ref)
  const entry = await queries.findBallot(db, jam.uid, user.userUid, gameRef)
  if (!entry) throw noEntry()
  return entry.rating && toRating(jam, entry.gameUid, entry.rating)
}

export async function loadOwnRating(
  deps: Pick<Deps, 'db'>,
  user: WebsiteUser,
  ref: string,
  gameRef: string,
): Promise<Rating> {
  const rating = await openOwnRating(deps, user, ref, gameRef)
  if (!rating) throw new AppError('not_found', { message: 'You have not rated this entry.' })
  return rating
}

/** All that a person rated in a jam, at any time. */
export async function listOwnRatings(
  { db }: Pick<Deps, 'db'>,
  user: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<OwnRating>> {
  const { jam } = await openJam(db, user, ref)
  return mapPage(await queries.pageOwnRatings(db, jam.uid, user.userUid, page), ({ rating, game }) => ({
    ...toRating(jam, game.uid, rating),
    game: { uid: game.uid, vanity_name: game.vanityName, name: game.name },
  }))
}

/** Voting opens when the builds are pinned, and ends with the results at the latest. */
export function requireVoting({ jam, now }: Pick<JamAccess, 'jam' | 'now'>): void {
  requireOpen(jam, 'rate', now)
  if (jam.pinnedAt === null)
    throw jamClosed(
      jam,
      'rate',
      now,
      'Voting opens when the builds of all entries are fixed, in a few minutes.',
    )
  if (jam.computedAt !== null) throw jamClosed(jam, 'rate', now, 'Voting has ended.')
}

/** Throws 4122 unless the person rates in this jam. */
export async function requireVoter(
  db: Db,
  user: Pick<WebsiteUser, 'userUid'>,
  { jam, isJudge }: Pick<JamAccess, 'jam' | 'isJudge'>,
): Promise<queries.VoterRow> {
  const voter = await queries.findVoter(db, jam.uid, user.userUid)
  if (!voter) throw new AppError('unauthorized')
  const refusal = findVoterRefusal({ ...voter, isJudge, isEntrant: voter.ownEntries.length > 0 }, jam)
  if (refusal !== null) throw ratingRefused(refusal)
  return voter
}

/** An entry with what keeps this voter from rating it, if anything does. */
export async function findBallot(
  db: Db | Transaction,
  user: WebsiteUser,
  access: Pick<JamAccess, 'jam' | 'isJudge'>,
  gameRef: string,
): Promise<{ voter: queries.VoterRow; entry: queries.BallotRow; refusal: RatingRefusal | null }> {
  const { jam } = access
  const entry = await queries.findBallot(db, jam.uid, user.userUid, gameRef)
  if (!entry) throw noEntry()
  const voter = await requireVoter(db, user, access)
  const refusal = findBallotRefusal(entry, { mustPlay: jam.mustPlay, seesAdult: seesAdult(user) })
  return { voter, entry, refusal }
}

export function ratingRefused(reason: RatingRefusal): AppError {
  return new AppError('rating_refused', { message: REFUSAL_TEXTS[reason], data: { reason } })
}

export function noEntry(): AppError {
  return new AppError('not_found', { message: 'There is no such entry in this jam.' })
}

/** In the order of the criteria. All faults are reported together. */
function parseScores(
  { criteria }: Pick<JamRow, 'criteria'>,
  sent: Readonly<Record<string, number>>,
): number[] {
  const names = criteria.map(({ name }) => name)
  const issues: Issue[] = [
    ...names
      .filter((name) => !Object.hasOwn(sent, name))
      .map((name) => issueAt(`scores.${name}`, 'is missing: give stars for every criterion.')),
    ...Object.keys(sent)
      .filter((name) => !names.includes(name))
      .map((name) => issueAt(`scores.${name}`, 'is not a criterion of this jam.')),
  ]
  if (issues.length > 0) throw invalidFields(issues.slice(0, ISSUES_SHOWN))
  return names.map((name) => sent[name] ?? 0)
}

const ISSUES_SHOWN = 20

export function nameScores(
  { criteria }: Pick<JamRow, 'criteria'>,
  scores: readonly number[],
): Record<string, number> {
  return Object.fromEntries(criteria.map(({ name }, index) => [name, scores[index] ?? 0]))
}

export function toRating(jam: Pick<JamRow, 'criteria'>, gameUid: string, row: queries.RatingRow): Rating {
  return respond(Rating, row, {
    game_uid: gameUid,
    scores: nameScores(jam, row.scores),
    public: row.commentPublic,
  })
}

/** Only tells whether votes of one jam came from one network; it is deleted with the results. */
function hashNetwork(keyring: Keyring, jamUid: string, address: string): string {
  const [key = ''] = keyring.derive('networks of voters')
  return new Bun.CryptoHasher('sha256', key).update(`${jamUid} ${networkOf(address)}`).digest('base64url')
}
