import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { decideApproval } from '../../../features/agents/approvals.ts'
import { changes, type TabAct, tabPath } from '../frame/project.ts'

/** The options of its route: each tab can decide about a build that becomes stable. */
export const decides = () =>
  ({ ...changes(), secondFactor: 'always', limit: ['accounts', 'listing_write'] }) as const

/** The owner's decision about what a program asked for, on the tab that lists it. */
export function decideIn(deps: Deps, tab: string): TabAct {
  return async (project, form, { params }) => {
    const decision = form.get('decision')
    if (decision !== 'approve' && decision !== 'reject') {
      throw new AppError('invalid_request', { message: 'Choose to approve or to reject.' })
    }
    const ref = { gameUid: project.listing.uid, uid: params.approval_uid ?? '' }
    await decideApproval(deps, project.user, ref, decision)
    return tabPath(project, tab, decision)
  }
}
