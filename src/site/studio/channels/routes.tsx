import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { listApprovals } from '../../../features/agents/approvals.ts'
import { listMoves, promote, rollback } from '../../../features/builds/channels/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { textOf } from '../../kit/form-state.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { decideIn, decides } from './approvals.tsx'
import { loadBoard } from './board.tsx'
import { ChannelsPage } from './channels-page.tsx'

const releases = () => ({ ...changes(), secondFactor: 'stable' }) as const

/** Which build each channel points at, and how to move it. */
export function channelPageRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [board, moves, approvals] = await Promise.all([
      loadBoard(deps, project),
      listMoves(deps, user, listing.uid, parsePage(state.query)),
      listApprovals(deps, user, listing.uid, 'promotion'),
    ])
    return <ChannelsPage {...{ project, state, board, moves, approvals }} />
  }

  const promoteBuild: TabAct = async (project, form) => {
    const build_id = textOf(form, 'build_id')
    const channel = textOf(form, 'channel').trim()
    await promote(deps, project.user, project.listing.uid, channel, { build_id })
    return tabPath(project, 'channels', 'promoted')
  }

  const rollBack: TabAct = async (project, form) => {
    await rollback(
      deps,
      project.user,
      project.listing.uid,
      textOf(form, 'channel'),
      textOf(form, 'app') || undefined,
    )
    return tabPath(project, 'channels', 'rolled-back')
  }

  return new Elysia({ name: 'studio-channels', prefix: '/studio/:uid/channels' })
    .use(kit)
    .get('', view(showTab), { page: true })
    .post('/promote', submit('promote', promoteBuild, showTab), releases())
    .post('/rollback', submit('rollback', rollBack, showTab), releases())
    .post('/approvals/:approval_uid', submit('approval', decideIn(deps, 'channels'), showTab), decides())
}
