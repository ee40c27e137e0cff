import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { getListing, type Revised } from '../../../features/listings/page/service.ts'
import type { Visit } from '../../../http/visit.ts'
import { type Act, pagesAbout, type ShowPage } from '../../kit/pages.ts'
import { requireUser } from '../../kit/signed-in.ts'

/** A listing that the visitor may edit. */
export interface Project extends Revised {
  user: WebsiteUser
}

export type ShowTab = ShowPage<Project>
export type TabAct = Act<Project>

/** The options of a route that changes a listing: counted together with the API's writes. */
export const changes = () => ({ page: true, limit: 'listing_write' }) as const
/** Also needs a recent confirmation: for acts that a stolen session must not allow. */
export const dangerous = () => ({ page: true, fresh: true, limit: 'listing_write' }) as const
/** Also needs a second factor: for routes that decide who may publish. */
export const publishes = () =>
  ({ page: true, secondFactor: 'always', fresh: true, limit: 'listing_write' }) as const

/** The tabs of a project and their forms. */
export function projectPages(deps: Deps) {
  return pagesAbout<Project>(({ visit, params }) => openProject(deps, visit, params.uid ?? ''))
}

/** People who may not edit the listing get "not found", even if they may open its store page. */
export async function openProject(deps: Deps, { actor }: Visit, ref: string): Promise<Project> {
  const user = requireUser(actor)
  try {
    return { user, ...(await getListing(deps, user, ref)) }
  } catch (error) {
    if (error instanceof AppError && error.kind === 'forbidden') throw new AppError('not_found')
    throw error
  }
}

/** The path of a tab, with the notice to show there. */
export function tabPath({ listing }: Project, tab: string, done?: string): string {
  return `/studio/${listing.vanity_name}/${tab}${done === undefined ? '' : `?done=${done}`}`
}
