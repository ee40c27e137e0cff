import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { editListing } from '../../../features/listings/page/service.ts'
import { loadSavesInsight } from '../../../features/saves/insight/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { SavesTab } from './saves-tab.tsx'

/** The switch of saves, and what a developer learns of them. */
export function savesTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)

  const showTab: ShowTab = async (project, state) => {
    const insight = await loadSavesInsight(deps, project.listing.uid)
    return <SavesTab {...{ project, state, insight }} quota={deps.config.savesPerGame} />
  }

  const save: TabAct = async (project, form) => {
    const enabled = form.has('enabled')
    // Saved without comparing revisions: the form has only this field, so the last one wins.
    await editListing(deps, project.user, project.listing.uid, { saves: { enabled } }, () => {})
    return tabPath(project, 'saves', enabled ? 'on' : 'off')
  }

  return new Elysia({ name: 'saves-tab', prefix: '/studio/:uid/saves' })
    .use(kit)
    .get('', view(showTab), { page: true })
    .post('', submit('saves', save, showTab), changes())
}
