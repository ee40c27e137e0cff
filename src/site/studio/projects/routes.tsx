import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { AssetType } from '../../../domain/listings/listing.ts'
import { ListingInput } from '../../../features/listings/page/model.ts'
import { createListing } from '../../../features/listings/page/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readPage } from '../../../lib/paging.ts'
import { checkForm } from '../../kit/form-check.ts'
import { attempt, EMPTY_FORM, textOf } from '../../kit/form-state.ts'
import { show } from '../../kit/render.ts'
import { requireUser, signInPath } from '../../kit/signed-in.ts'
import { NewProjectPage } from './new-project-page.tsx'
import { ProjectsPage } from './projects-page.tsx'
import { readProjects } from './summaries.ts'

const NOTICES: Readonly<Record<string, string>> = {
  deleted: 'The draft is deleted.',
  left: 'You are no longer on the team of that project.',
}

/** The list of projects, and how to start one. */
export function projectRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'studio-projects', prefix: '/studio' })
    .use(kit)
    .get(
      '',
      async ({ visit, query, set, redirect }) => {
        if (visit.actor.kind !== 'user') return redirect(signInPath(visit), 303)
        const projects = await readProjects(deps, visit.actor, readPage(query))
        const notice = NOTICES[query.done ?? '']
        return show(visit, set, <ProjectsPage {...{ visit, projects, notice }} />)
      },
      { page: true },
    )
    .get(
      '/new',
      ({ visit, set, redirect }) =>
        visit.actor.kind === 'user'
          ? show(visit, set, <NewProjectPage {...{ visit, form: EMPTY_FORM }} />)
          : redirect(signInPath(visit), 303),
      { page: true },
    )
    .post(
      '/new',
      async ({ visit, form, set, redirect }) => {
        const user = requireUser(visit.actor)
        let vanityName = ''
        const refused = await attempt(form, async () => {
          const { listing } = await createListing(deps, user, readInput(form))
          vanityName = listing.vanity_name
        })
        if (!refused) return redirect(`/studio/${vanityName}/overview?done=created`, 303)
        const { form: state, status } = refused
        return show(visit, set, <NewProjectPage {...{ visit, form: state }} />, { status })
      },
      { page: true },
    )
}

function readInput(form: URLSearchParams): ListingInput {
  const vanityName = textOf(form, 'vanity_name').trim()
  const input = {
    name: textOf(form, 'name').trim(),
    asset_type: textOf(form, 'asset_type') as AssetType,
    ...(vanityName === '' ? {} : { vanity_name: vanityName }),
  }
  checkForm(ListingInput, input)
  return input
}
