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
import { checkForm } from '../../kit/form-check.ts'
import { textOf } from '../../kit/form-state.ts'
import { type Act, CHANGES, type ShowTab, submit, tabPath, view } from '../frame/handlers.ts'
import { ChangelogTab } from './changelog-tab.tsx'

/** What is new, in the developer's words. */
export function changelogTabRoutes(kit: HttpKit, deps: Deps) {
  const showTab: ShowTab = async (project, state) => {
    const changes = await listChanges(deps, project.user, project.listing.uid, readPage(state.query))
    return <ChangelogTab {...{ project, state, changes }} />
  }

  const add: Act = async (project, form) => {
    const { version, ...entry } = readEntry(form)
    const input = { ...entry, ...(version !== null && { version }) }
    checkForm(ChangelogInput, input)
    await addChange(deps, project.user, project.listing.uid, input)
    return tabPath(project, 'changelog', 'added')
  }

  const edit: Act = async (project, form, { params }) => {
    const input = readEntry(form)
    checkForm(ChangelogPatch, input)
    await editChange(deps, project.user, project.listing.uid, params.entry_uid ?? '', input)
    return tabPath(project, 'changelog', 'saved')
  }

  const remove: Act = async (project, _, { params }) => {
    await deleteChange(deps, project.user, project.listing.uid, params.entry_uid ?? '')
    return tabPath(project, 'changelog', 'deleted')
  }

  return new Elysia({ name: 'studio-changelog', prefix: '/studio/:uid/changelog' })
    .use(kit)
    .get('', view(deps, showTab), { page: true })
    .post('', submit(deps, 'change', add, showTab), CHANGES)
    .post('/:entry_uid', submit(deps, 'edit', edit, showTab), CHANGES)
    .post('/:entry_uid/delete', submit(deps, 'delete', remove, showTab), CHANGES)
}

function readEntry(form: URLSearchParams) {
  return {
    title: textOf(form, 'title'),
    version: textOf(form, 'version').trim() || null,
    items: readItemLines(textOf(form, 'items')),
    body: textOf(form, 'body').replaceAll('\r\n', '\n'),
  }
}
