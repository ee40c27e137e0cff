import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { ChangelogInput } from '../../features/listings/changelog/model.ts'
import { addChange, deleteChange, listChanges } from '../../features/listings/changelog/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { checkForm } from '../form-check.ts'
import { textOf } from '../forms.ts'
import { ChangelogTab } from '../pages/studio/changelog-tab.tsx'
import { type Act, CHANGES, type ShowTab, submit, tabPath, view } from './handlers.ts'

/** What is new, in the developer's words. */
export function changelogTabRoutes(kit: HttpKit, deps: Deps) {
  const showTab: ShowTab = async (project, state) => {
    const changes = await listChanges(deps, project.user, project.listing.uid, readPage(state.query))
    return <ChangelogTab {...{ project, state, changes }} />
  }

  const add: Act = async (project, form) => {
    const version = textOf(form, 'version').trim()
    const input = {
      title: textOf(form, 'title'),
      body: textOf(form, 'body').replaceAll('\r\n', '\n'),
      ...(version === '' ? {} : { version }),
    }
    checkForm(ChangelogInput, input)
    await addChange(deps, project.user, project.listing.uid, input)
    return tabPath(project, 'changelog', 'added')
  }

  const remove: Act = async (project, _, { params }) => {
    await deleteChange(deps, project.user, project.listing.uid, params.entry_uid ?? '')
    return tabPath(project, 'changelog', 'deleted')
  }

  return new Elysia({ name: 'studio-changelog', prefix: '/studio/:uid/changelog' })
    .use(kit)
    .get('', view(deps, showTab), { page: true })
    .post('', submit(deps, 'change', add, showTab), CHANGES)
    .post('/:entry_uid/delete', submit(deps, 'delete', remove, showTab), CHANGES)
}
