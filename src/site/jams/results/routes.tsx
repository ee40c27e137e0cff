import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { PRIZE_TEXT_MAX } from '../../../domain/jams.ts'
import { jamPath } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import {
  awardPrizes,
  changeResults,
  disqualifyEntry,
  listHostEntries,
  loadResultsState,
  readmitEntry,
  RESULT_ACTS,
} from '../../../features/jams/results/hosting.ts'
import { PrizesInput, ReasonInput, type ResultItem } from '../../../features/jams/results/model.ts'
import {
  getResult,
  listComments,
  listResults,
  openAllResults,
} from '../../../features/jams/results/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { parseEntries, placeLines, readForm, textOf } from '../../kit/form-state.ts'
import { type Act, atPage, ownPages, type PageContext, publicPages, type ShowPage } from '../../kit/pages.ts'
import { streamCsv } from '../../studio/frame/csv.ts'
import { openShownJam } from '../jam-frame.tsx'
import { openManaged } from '../manage-routes.tsx'
import { HostResultsPage } from './host-results-page.tsx'
import { NoResultsPage, ResultPage, ResultsPage } from './results-page.tsx'

const { view, submit } = ownPages
const written = () => ({ page: true, limit: 'account_write' }) as const

/** The results of a jam, and what hosts do with them. */
export function jamResultPages(kit: HttpKit, deps: Deps) {
  const showResults: ShowPage = async (actor, context) => {
    const { query } = context
    const shown = await openShownJam(deps, context)
    const { slug, criteria } = shown.jam
    const state = atPage(context, jamPath(slug, 'results'))
    try {
      const results = await listResults(deps, actor, slug, query.criterion, parsePage(query))
      const criterion = criteria.find(({ name }) => name === query.criterion)?.name ?? null
      return <ResultsPage {...{ state, shown, results, criterion }} />
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'jam_closed') throw error
      return { page: <NoResultsPage {...{ state, shown, reason: error.message }} />, status: error.status }
    }
  }

  const showResult: ShowPage = async (actor, context) => {
    const { params, query } = context
    const [jam, game] = [params.jam ?? '', params.game ?? '']
    const [shown, result, comments] = await Promise.all([
      openShownJam(deps, context),
      getResult(deps, actor, jam, game),
      listComments(deps, actor, jam, game, parsePage(query)),
    ])
    return <ResultPage {...{ state: context, shown, result, comments }} />
  }

  const showHosting: ShowPage<WebsiteUser> = async (user, context) => {
    const { query } = context
    const shown = await openManaged(deps, context)
    const { slug } = shown.jam
    const [results, entries] = await Promise.all([
      loadResultsState(deps, user, slug),
      listHostEntries(deps, user, slug, query.q?.trim() ?? '', parsePage(query)),
    ])
    const state = atPage(context, `${jamPath(slug, 'manage')}/results`)
    return <HostResultsPage {...{ state, shown, results, entries }} />
  }

  const change: Act<WebsiteUser> = async (user, form, { params: { jam = '' } }) => {
    const act = RESULT_ACTS.find((known) => known === textOf(form, 'act'))
    if (act === undefined)
      throw new AppError('invalid_request', { message: 'Choose to hold back, to publish or to recount.' })
    await changeResults(deps, user, jam, act)
    return `${jamPath(jam, 'manage')}/results?done=${act}#state`
  }

  const disqualify: Act<WebsiteUser> = async (user, form, { params: { jam = '', game = '' } }) => {
    const input = readForm(ReasonInput, form)
    const isBack = textOf(form, 'act') === 'readmit'
    await (isBack ? readmitEntry : disqualifyEntry)(deps, user, jam, game, input)
    return `${jamPath(jam, 'manage')}/results?done=${isBack ? 'readmitted' : 'disqualified'}`
  }

  const award: Act<WebsiteUser> = async (user, form, { params: { jam = '', game = '' } }) => {
    const prizes = parseEntries(form, 'prizes', ['title', 'text']).map(({ title = '', text = '' }) => ({
      title,
      text: text.slice(0, PRIZE_TEXT_MAX + 1),
    }))
    try {
      await awardPrizes(deps, user, jam, game, readForm(PrizesInput, form, { prizes: () => prizes }))
    } catch (error) {
      throw placeLines(error)
    }
    return `${jamPath(jam, 'manage')}/results?done=awarded`
  }

  async function sendResults({
    visit,
    params,
    set,
  }: Pick<PageContext, 'visit' | 'params' | 'set'>): Promise<Response> {
    const { jam, batches } = await openAllResults(deps, visit.actor, params.jam ?? '')
    const names = jam.criteria.map(({ name }) => name)
    const head = [
      'rank',
      'name',
      'developer',
      'address',
      'score',
      'adjusted',
      'ratings',
      ...names.flatMap((name) => [`${name} rank`, `${name} score`, `${name} adjusted`]),
      'disqualified',
      'prizes',
    ]
    const toRow = (item: ResultItem) => [
      item.rank,
      item.game.name,
      item.game.developer,
      item.game.url,
      item.score,
      item.adjusted,
      item.ratings,
      ...names.flatMap((name) => {
        const judged = item.criteria[name]
        return [judged?.rank ?? null, judged?.mean ?? null, judged?.adjusted ?? null]
      }),
      item.disqualified,
      item.prizes.map(({ title }) => title).join('; '),
    ]
    return streamCsv(set, `${jam.slug}-results`, head, batches, toRow)
  }

  return createRoutes(kit, { name: 'jam-result-pages', prefix: '/jams/:jam' })
    .get('/results', publicPages.view(showResults), { page: true })
    .get('/results.csv', async ({ visit, params, set }) => await sendResults({ visit, params, set }), {
      page: true,
      limit: 'search',
    })
    .get('/results/:game', publicPages.view(showResult), { page: true })
    .get('/manage/results', view(showHosting), { page: true })
    .post('/manage/results', submit('results', change, showHosting), written())
    .post('/manage/results/:game/disqualify', submit('disqualify', disqualify, showHosting), written())
    .post('/manage/results/:game/prizes', submit('prizes', award, showHosting), written())
}
