import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { parseItemLines } from '../../../domain/builds/build-fields.ts'
import { ChangelogInput, ChangelogPatch } from '../../../features/listings/changelog/model.ts'
import {
  addChange,
  deleteChange,
  editChange,
  listChanges,
} from '../../../features/listings/changelog/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { textOf } from '../../kit/form-state.ts'
import { type FieldReader, lines, maybeText, readForm } from '../../kit/read-form.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { ChangelogTab } from './changelog-tab.tsx'

const items: FieldReader = (form, name) => parseItemLines(textOf(form, name))
const ENTRY = { title: textOf, body: lines, version: maybeText, items }

/** The tab for changelog entries that developers write. */
export function changelogTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const changes = await listChanges(deps, project.user, project.listing.uid, parsePage(state.query))
    return <ChangelogTab {...{ project, state, changes }} />
  }

  const add: TabAct = async (project, form) => {
    await addChange(deps, project.user, project.listing.uid, readForm(ChangelogInput, form, ENTRY))
    return tabPath(project, 'changelog', 'added')
  }

  const edit: TabAct = async (project, form, { params }) => {
    const version: FieldReader = (_, name) => maybeText(form, name) ?? null
    const input = readForm(ChangelogPatch, form, { ...ENTRY, version })
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
    .post('', submit('change', add, showTab), changes())
    .post('/:entry_uid', submit('edit', edit, showTab), changes())
    .post('/:entry_uid/delete', submit('delete', remove, showTab), changes())
}
