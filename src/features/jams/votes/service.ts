import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { VOTE_FAULTS, type VoteFault } from '../../../domain/jams.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { type JamRow, lockManagedJam, openManagedJam, recordHostAct } from '../access.ts'
import { nameScores } from '../rating/service.ts'
import { recomputeAfter } from '../results/compute.ts'
import type { ReasonInput } from '../results/model.ts'
import { Vote } from './model.ts'
import * as queries from './queries.ts'

type Services = Pick<Deps, 'db' | 'config'>

export function parseVoteFilter(query: {
  show?: string | undefined
  voter?: string | undefined
  game?: string | undefined
}): queries.VoteFilter {
  return {
    isUncounted: query.show === 'uncounted',
    voter: query.voter?.trim() || undefined,
    game: query.game?.trim() || undefined,
  }
}

/** For hosts. */
export async function listVotes(
  { db }: Services,
  user: WebsiteUser,
  ref: string,
  filter: queries.VoteFilter,
  page: Page,
): Promise<Paged<Vote>> {
  const { jam } = await openManagedJam(db, user, ref)
  return mapPage(await queries.pageVotes(db, jam.uid, filter, page), (row) => toVote(jam, row))
}

export interface VoteCounts {
  total: number
  counted: number
  /** Those that do not count. */
  faults: readonly (readonly [fault: VoteFault, count: number])[]
}

export async function countVotes({ db }: Services, user: WebsiteUser, ref: string): Promise<VoteCounts> {
  const { jam } = await openManagedJam(db, user, ref)
  const counts = new Map((await queries.countVotes(db, jam.uid)).map(({ fault, count }) => [fault, count]))
  const faults = VOTE_FAULTS.map((fault) => [fault, counts.get(fault) ?? 0] as const)
  const counted = counts.get(null) ?? 0
  return {
    total: faults.reduce((sum, [, count]) => sum + count, counted),
    counted,
    faults: faults.filter(([, count]) => count > 0),
  }
}

/** A host decides about a vote, which no rule changes afterwards. Results that are there are computed again. */
export async function decideVote(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  uid: string,
  decision: 'voided' | 'restored',
  { reason }: ReasonInput,
): Promise<Vote> {
  return await deps.db.transaction(async (tx) => {
    const { jam } = await lockManagedJam(deps, tx, user, ref)
    const found = isUid(uid) ? await queries.findVote(tx, jam.uid, uid) : undefined
    if (!found) throw new AppError('not_found', { message: 'There is no such vote in this jam.' })
    refuseRepeat(found, decision)
    await queries.setDecision(tx, uid, decision, reason.trim())
    const act = decision === 'voided' ? 'Voided' : 'Restored'
    const voter = found.voter ?? 'a deleted account'
    const isListed = jam.computedAt !== null
    await recordHostAct(tx, user, jam, {
      text: `${act} the vote of ${voter} for ${found.game.name}: ${reason.trim()}`,
      ...(isListed && {
        listed: `A vote was ${decision}; the results were computed again.`,
      }),
    })
    await recomputeAfter(tx, jam)
    const after = await queries.findVote(tx, jam.uid, uid)
    if (!after) throw new Error('The vote vanished inside of a transaction')
    return toVote(jam, after)
  })
}

function refuseRepeat({ vote }: queries.VoteRow, decision: 'voided' | 'restored'): void {
  if (decision === 'voided' && vote.fault === 'voided')
    throw new AppError('taken', { message: 'This vote is voided already.' })
  if (decision === 'restored' && vote.fault === null)
    throw new AppError('taken', { message: 'This vote counts already.' })
}

function toVote(jam: JamRow, { vote, voter, game }: queries.VoteRow): Vote {
  return respond(Vote, vote, {
    game: { uid: game.uid, vanity_name: game.vanityName, name: game.name },
    voter,
    scores: nameScores(jam, vote.scores),
    counts: vote.fault === null,
    reason: vote.decisionReason,
  })
}

const RAW_BATCH = 2000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** All votes without names, in batches. For hosts, who are checked before the first one. */
export async function openRawVotes({ db }: Services, user: WebsiteUser, ref: string) {
  const { jam } = await openManagedJam(db, user, ref)
  async function* batches() {
    for (let after: string | undefined = FIRST; after !== undefined;) {
      const rows: Awaited<ReturnType<typeof queries.listRawVotes>> = await queries.listRawVotes(
        db,
        jam.uid,
        after,
        RAW_BATCH,
      )
      if (rows.length > 0) yield rows
      after = rows.length < RAW_BATCH ? undefined : rows.at(-1)?.uid
    }
  }
  return { jam, batches: batches() }
}
