import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { jamPath } from '../../../domain/site-urls.ts'
import { AppError, invalidFields, type Issue } from '../../../errors.ts'
import { loadQueue, loadQueueItem, markEntry, type QueueMark } from '../../../features/jams/rating/queue.ts'
import { listOwnRatings, rateEntry } from '../../../features/jams/rating/service.ts'
import { ReasonInput } from '../../../features/jams/results/model.ts'
import {
  countVotes,
  decideVote,
  listVotes,
  openRawVotes,
  parseVoteFilter,
} from '../../../features/jams/votes/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { readForm, textOf } from '../../kit/form-state.ts'
import { type Act, atPage, browserOf, ownPages, type PageContext, type ShowPage } from '../../kit/pages.ts'
import { streamCsv } from '../../studio/frame/csv.ts'
import { openShownJam, type ShownJam } from '../jam-frame.tsx'
import { openManaged } from '../manage-routes.tsx'
import { NoRatingPage, RatedPage, RatePage, scoreField } from './rate-page.tsx'
import { VotesPage } from './votes-page.tsx'

const { view, submit } = ownPages
const written = () => ({ page: true, limit: 'account_write' }) as const
/** The current entry and those after it. */
const SHOWN = 6
const STAR = /^[1-9]$/
/** Refusals that the page itself explains. */
const CLOSED: ReadonlySet<string> = new Set(['jam_closed', 'rating_refused'])

/** Where voters rate, and where hosts look at votes. */
export function jamRatingPages(kit: HttpKit, deps: Deps) {
  const { trustProxy } = deps.config

  const showRate: ShowPage<WebsiteUser> = async (user, context) => {
    const { visit, params, query } = context
    const jam = params.jam ?? ''
    const systems = query.os === 'any' ? null : systemsOf(visit.os)
    const wanted = params.game ?? query.entry
    const shown = await openShownJam(deps, context)
    const state = atPage(context, jamPath(shown.jam.slug, 'rate'))
    try {
      const [queue, chosen] = await Promise.all([
        loadQueue(deps, user, jam, { systems, limit: SHOWN }),
        wanted === undefined ? null : loadQueueItem(deps, user, jam, wanted),
      ])
      const item = chosen ?? queue.items[0] ?? null
      return <RatePage {...{ state, shown, queue, item, isNarrowed: systems !== null }} />
    } catch (error) {
      if (!(error instanceof AppError) || !CLOSED.has(error.kind)) throw error
      return { page: <NoRatingPage {...{ state, shown, reason: error.message }} />, status: error.status }
    }
  }

  const rate: Act<WebsiteUser> = async (user, form, context) => {
    const { params } = context
    const { jam } = await openShownJam(deps, context)
    const scores = Object.fromEntries(
      jam.criteria.flatMap(({ name }, index) => {
        const text = textOf(form, scoreField(index))
        return STAR.test(text) ? [[name, Number(text)]] : []
      }),
    )
    const input = {
      scores,
      comment: textOf(form, 'comment').replaceAll('\r\n', '\n'),
      public: form.has('public'),
    }
    try {
      const { address } = browserOf(context, trustProxy)
      await rateEntry(deps, user, jam.slug, params.game ?? '', input, address)
    } catch (error) {
      throw placeScores(error, jam)
    }
    return `${jamPath(jam.slug, 'rate')}?done=rated`
  }

  const mark =
    (how: QueueMark, done: string): Act<WebsiteUser> =>
    async (user, _, { params: { jam = '', game = '' }, visit }) => {
      await markEntry(deps, user, jam, game, how, systemsOf(visit.os))
      return `${jamPath(jam, 'rate')}?done=${done}`
    }

  const showRated: ShowPage<WebsiteUser> = async (user, context) => {
    const { visit, params, query } = context
    const [shown, ratings] = await Promise.all([
      openShownJam(deps, context),
      listOwnRatings(deps, user, params.jam ?? '', parsePage(query)),
    ])
    return <RatedPage {...{ visit, shown, ratings }} />
  }

  const showVotes: ShowPage<WebsiteUser> = async (user, context) => {
    const shown = await openManaged(deps, context)
    const { slug } = shown.jam
    const [votes, counts] = await Promise.all([
      listVotes(deps, user, slug, parseVoteFilter(context.query), parsePage(context.query)),
      countVotes(deps, user, slug),
    ])
    const state = atPage(context, `${jamPath(slug, 'manage')}/votes`)
    return <VotesPage {...{ state, shown, votes, counts }} />
  }

  const decide =
    (decision: 'voided' | 'restored'): Act<WebsiteUser> =>
    async (user, form, { params: { jam = '', vote = '' } }) => {
      await decideVote(deps, user, jam, vote, decision, readForm(ReasonInput, form))
      return `${jamPath(jam, 'manage')}/votes?done=${decision}`
    }

  async function sendVotes({
    visit,
    params,
    set,
  }: Pick<PageContext, 'visit' | 'params' | 'set'>): Promise<Response> {
    const { actor } = visit
    if (actor.kind !== 'user') throw new AppError('not_found')
    const { jam, batches } = await openRawVotes(deps, actor, params.jam ?? '')
    const names = jam.criteria.map(({ name }) => name)
    const head = ['vote', 'entry', 'game_uid', ...names, 'counts', 'reason']
    return streamCsv(set, `${jam.slug}-votes`, head, batches, (row) => [
      row.uid,
      row.game,
      row.gameUid,
      ...names.map((_, index) => row.scores[index] ?? null),
      row.fault === null ? 'yes' : 'no',
      row.fault ?? '',
    ])
  }

  return createRoutes(kit, { name: 'jam-rating-pages', prefix: '/jams/:jam' })
    .get('/rate', view(showRate), { page: true })
    .get('/rate/rated', view(showRated), { page: true })
    .post('/rate/:game', submit('rating', rate, showRate), written())
    .post('/rate/:game/skip', submit('skip', mark('skip', 'skipped'), showRate), written())
    .post('/rate/:game/cannot-run', submit('unable', mark('cannot_run', 'unable'), showRate), written())
    .get('/manage/votes', view(showVotes), { page: true })
    .get('/manage/votes.csv', async ({ visit, params, set }) => await sendVotes({ visit, params, set }), {
      page: true,
    })
    .post('/manage/votes/:vote/void', submit('vote', decide('voided'), showVotes), written())
    .post('/manage/votes/:vote/restore', submit('vote', decide('restored'), showVotes), written())
}

/** Browsers of every system open web games. */
function systemsOf(os: OperatingSystem | null): OperatingSystem[] | null {
  return os === null ? null : [os, 'web']
}

/** Moves faults of criteria to their stars. */
function placeScores(error: unknown, { criteria }: ShownJam['jam']): unknown {
  if (!(error instanceof AppError) || !Array.isArray(error.data?.['issues'])) return error
  const issues = (error.data['issues'] as Issue[]).map((issue) => {
    const index = criteria.findIndex(({ name }) => issue.path === `scores.${name}`)
    if (index === -1) return issue
    return { path: scoreField(index), message: `Give stars for ${criteria[index]?.name ?? ''}.` }
  })
  return invalidFields(issues, { kind: error.kind })
}
