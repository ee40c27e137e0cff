import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { readItemLines } from '../../../domain/builds/changelog-items.ts'
import { ChangelogInput, ChangelogPatch } from '../../../features/listings/changelog/model.ts'
import {
  addChange,
  deleteChange,
  editChange,
  listChanges,
} from '../../../features/listings/changelog/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readPage } from '../../../lib/paging.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { CHANGES, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { ChangelogTab } from './changelog-tab.tsx'

/** What is new, in the developer's words. */
export function changelogTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const changes = await listChanges(deps, project.user, project.listing.uid, readPage(state.query))
    return <ChangelogTab {...{ project, state, changes }} />
  }

  const add: TabAct = async (project, form) => {
    const { version, ...entry } = readEntry(form)
    const input = { ...entry, ...(version !== null && { version }) }
    checkForm(ChangelogInput, input)
    await addChange(deps, project.user, project.listing.uid, input)
    return tabPath(project, 'changelog', 'added')
  }

  const edit: TabAct = async (project, form, { params }) => {
    const input = readEntry(form)
    checkForm(ChangelogPatch, input)
    await editChange(deps, project.user, project.listing.uid, params.entry_uid ?? '', input)
    return tabPath(project, 'changelog', 'saved')
  }

  const remove: TabAct = async (project, _, { params }) => {
    await deleteChange(deps, project.user, project.listing.uid, params.entry_uid ?? '')
    return tabPath(project, 'changelog', 'deleted')
  }

  return new Elysia({ name: 'studio-changelog', prefix: '/studio/:uid/changelog' })
    .use(kit)
    .get('', view(showTab), { page: true })
    .post('', submit('change', add, showTab), CHANGES)
    .post('/:entry_uid', submit('edit', edit, showTab), CHANGES)
    .post('/:entry_uid/delete', submit('delete', remove, showTab), CHANGES)
}

function readEntry(form: URLSearchParams) {
  return {
    title: textOf(form, 'title'),
    version: textOf(form, 'version').trim() || null,
    items: readItemLines(textOf(form, 'items')),
    body: textOf(form, 'body').replaceAll('\r\n', '\n'),
  }
}
