import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { AssetType } from '../../../domain/listings/listing.ts'
import { invalidFields } from '../../../errors.ts'
import { ListingInput } from '../../../features/listings/page/model.ts'
import { suggestsAddress } from '../../../features/listings/page/names.ts'
import { createListing } from '../../../features/listings/page/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { type Act, formOf, ownPages, type ShowPage } from '../../kit/pages.ts'
import { NewProjectPage, ProjectsPage } from './projects-page.tsx'
import { listProjects } from './summaries.ts'

const { view, submit } = ownPages

/** The list of projects, and how to start one. */
export function projectRoutes(kit: HttpKit, deps: Deps) {
  const showProjects: ShowPage<WebsiteUser> = async (user, { visit, query }) => {
    const projects = await listProjects(deps, user, parsePage(query))
    return <ProjectsPage {...{ visit, projects }} />
  }

  const showNew: ShowPage<WebsiteUser> = (_, state) => (
    <NewProjectPage visit={state.visit} form={formOf(state, 'new')} />
  )

  const create: Act<WebsiteUser> = async (user, form) => {
    const { listing } = await createListing(deps, user, parseInput(form))
    return `/studio/${listing.vanity_name}/overview?done=created`
  }

  return createRoutes(kit, { name: 'studio-projects', prefix: '/studio' })
    .get('', view(showProjects), { page: true })
    .get('/new', view(showNew), { page: true })
    .post('/new', submit('new', create, showNew), { page: true, limit: 'account_write' })
}

function parseInput(form: URLSearchParams): ListingInput {
  const vanityName = textOf(form, 'vanity_name').trim()
  const input = {
    name: textOf(form, 'name').trim(),
    asset_type: textOf(form, 'asset_type') as AssetType,
    ...(vanityName === '' ? {} : { vanity_name: vanityName }),
  }
  checkForm(ListingInput, input)
  if (vanityName === '' && !suggestsAddress(input.name)) {
    const message = 'Enter an address: the name has no letters of a-z to make one from.'
    throw invalidFields([{ path: 'vanity_name', message }])
  }
  return input
}
