import type { Deps } from '../../../deps.ts'
import { isChannel } from '../../../domain/builds/channels.ts'
import { ERRORS } from '../../../error-table.ts'
import { AppError } from '../../../errors.ts'
import { loadCovers } from '../../../features/listings/images/service.ts'
import type { PlayAccess } from '../../../features/play/access/service.ts'
import { openPlayPage, openRefused, type PlayView } from '../../../features/play/visits/service.ts'
import type { SaveChoice } from '../../../features/saves/access/model.ts'
import { loadChoice } from '../../../features/saves/access/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import type { Visit } from '../../../http/visit.ts'
import { type Answer, type PageContext, publicPages } from '../../kit/pages.ts'
import { PlayPage, RefusedPage } from './play-page.tsx'

const { view } = publicPages
const [, , UNSAID] = ERRORS.not_found

/** The page that plays a web build in a frame, and the way to its origin without script. */
export function playPages(kit: HttpKit, deps: Deps, access: PlayAccess) {
  async function readPlay({ visit, params, query }: PageContext): Promise<PlayView> {
    const { channel, build: buildUid, jam } = query
    if (channel !== undefined && !isChannel(channel)) throw new AppError('not_found')
    return await openPlayPage(deps, access, userOf(visit), params.uid ?? '', { channel, buildUid, jam })
  }

  async function showPlay(_: unknown, context: PageContext): Promise<Answer> {
    try {
      const play = await readPlay(context)
      const { uid } = play.game
      const [covers, saves] = await Promise.all([loadCovers(deps, [uid]), readSaves(context, uid)])
      const cover = covers.get(uid)?.cover ?? null
      const page = <PlayPage {...{ visit: context.visit, play, cover, saves }} />
      return { page, isSecret: true, framed: play.origin, isIsolated: play.player.isolation }
    } catch (error) {
      return await showRefusal(error, context)
    }
  }

  /** Null where there is nobody to ask, also for those who see a game only inside a jam. */
  async function readSaves({ visit }: PageContext, gameUid: string): Promise<SaveChoice | null> {
    const user = userOf(visit)
    if (user === null) return null
    return await loadChoice(deps, user, gameUid).catch((error: unknown) => {
      if (error instanceof AppError && error.kind === 'not_found') return null
      throw error
    })
  }

  /** Tickets expire within a minute, so the link of the page leads here for a new one. */
  async function openOrigin(_: unknown, context: PageContext): Promise<Answer> {
    try {
      return (await readPlay(context)).url
    } catch (error) {
      return await showRefusal(error, context)
    }
  }

  /** Refuses with the status of the download route. Games that the visitor may not see get "not found". */
  async function showRefusal(error: unknown, { visit, params, query }: PageContext): Promise<Answer> {
    if (!(error instanceof AppError) || error.status >= 500 || error.message === UNSAID) throw error
    const game = await openRefused(deps, userOf(visit), params.uid ?? '', query.jam)
    return { page: <RefusedPage {...{ visit, game, error }} />, status: error.status, isSecret: true }
  }

  return createRoutes(kit, { name: 'play-pages', prefix: '/games/:uid/play' })
    .get('', view(showPlay), { page: true })
    .get('/open', view(openOrigin), { page: true })
}

function userOf({ actor }: Visit) {
  return actor.kind === 'user' ? actor : null
}
