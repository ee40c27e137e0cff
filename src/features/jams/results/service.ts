import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, toPerson } from '../../../domain/actor.ts'
import { listingUrl, mediaUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { maySeePage } from '../../games/service.ts'
import { type JamAccess, jamClosed, type JamRow, openJam } from '../access.ts'
import { JamComment, type ResultItem, type Results } from './model.ts'
import * as queries from './public-queries.ts'

type Services = Pick<Deps, 'config'> & { db: Db }

interface ComputedJam extends JamRow {
  computedAt: Date
}

/** Throws 4121 before the results are out. Hosts see what they hold back. */
export async function openResults(
  db: Db,
  actor: Actor | null,
  ref: string,
): Promise<JamAccess & { jam: ComputedJam }> {
  const access = await openJam(db, actor, ref)
  const { jam, now, mayManage } = access
  const { computedAt, publishedAt } = jam
  if (computedAt === null || (publishedAt === null && !mayManage)) {
    const isOver = jam.votingEndsAt !== null && now >= jam.votingEndsAt
    throw jamClosed(
      jam,
      'see_results',
      now,
      isOver
        ? jam.resultsHeld
          ? 'The hosts publish the results soon.'
          : 'The results are being computed. Try again in a minute.'
        : undefined,
    )
  }
  return { ...access, jam: { ...jam, computedAt } }
}

/** Ordered by the named criterion, or else by the whole. */
export async function listResults(
  deps: Services,
  actor: Actor | null,
  ref: string,
  criterion: string | undefined,
  page: Page,
): Promise<Results> {
  const { jam } = await openResults(deps.db, actor, ref)
  const index = jam.criteria.findIndex(({ name }) => name === criterion)
  const rows = await queries.pageResults(deps.db, jam.uid, index === -1 ? null : index, page)
  return {
    ...mapPage(rows, (row) => toResult(deps, jam, row)),
    m: jam.median ?? 0,
    computed_at: jam.computedAt.toISOString(),
    published_at: jam.publishedAt?.toISOString() ?? null,
  }
}

export async function getResult(
  deps: Services,
  actor: Actor | null,
  ref: string,
  gameRef: string,
): Promise<ResultItem> {
  const { jam } = await openResults(deps.db, actor, ref)
  return toResult(deps, jam, await requireResult(deps.db, jam, gameRef))
}

async function requireResult(db: Db, jam: JamRow, gameRef: string): Promise<queries.ResultRow> {
  const row = await queries.findResult(db, jam.uid, gameRef)
  if (!row) throw new AppError('not_found', { message: 'There is no such entry in this jam.' })
  return row
}

/** Public ones; those who work on the entry read all. */
export async function listComments(
  { db, config }: Services,
  actor: Actor | null,
  ref: string,
  gameRef: string,
  page: Page,
): Promise<Paged<JamComment>> {
  const { jam } = await openResults(db, actor, ref)
  const { game } = await requireResult(db, jam, gameRef)
  const userUid = actor && 'userUid' in actor ? actor.userUid : null
  const isTheirs = userUid !== null && (await queries.isWorkedOn(db, game.uid, userUid))
  return mapPage(await queries.pageComments(db, jam.uid, game.uid, isTheirs, page), (row) =>
    respond(JamComment, row, {
      person: row.public && row.hasPerson && row.person ? toPerson(config.baseUrl, row.person) : null,
    }),
  )
}

const PLACINGS_SHOWN = 5

export interface Placing {
  slug: string
  title: string
  rank: number
  entries: number
}

/** Where a listing stood in public jams whose results are out. */
export async function listPlacings(db: Db, gameUid: string): Promise<Placing[]> {
  return [...(await queries.listPlacings(db, gameUid, PLACINGS_SHOWN))]
}

const BATCH = 1000

/** All results in the order of their places, in batches. */
export async function openAllResults(deps: Services, actor: Actor | null, ref: string) {
  const { jam } = await openResults(deps.db, actor, ref)
  async function* batches() {
    for (let offset = 0; ; offset += BATCH) {
      const rows = await queries.listResults(deps.db, jam.uid, BATCH, offset)
      if (rows.length > 0) yield rows.map((row) => toResult(deps, jam, row))
      if (rows.length < BATCH) return
    }
  }
  return { jam, batches: batches() }
}

function toResult({ config }: Pick<Deps, 'config'>, jam: JamRow, row: queries.ResultRow): ResultItem {
  const { result, game, developer, coverKey, disqualifiedAt, disqualifiedFor, prizes } = row
  const { rank, ratings, score, adjusted } = result
  return {
    game: {
      uid: game.uid,
      vanity_name: game.vanityName,
      name: game.name,
      url: maySeePage(game.visibility, null) ? listingUrl(config.baseUrl, game.vanityName) : null,
      cover: coverKey && mediaUrl(config.baseUrl, coverKey),
      developer,
      adult: game.adult,
    },
    rank,
    ratings,
    score,
    adjusted,
    criteria: Object.fromEntries(
      jam.criteria.map(({ name }, index) => [
        name,
        result.criteria[index] ?? { mean: null, adjusted: null, rank: null },
      ]),
    ),
    disqualified: disqualifiedAt === null ? null : (disqualifiedFor ?? ''),
    prizes,
  }
}
