import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { invalidFields } from '../../../errors.ts'
import type { ImportInput, Preview } from '../../../features/extstore/import/model.ts'
import {
  countImport,
  countPreview,
  importListing,
  previewImport,
} from '../../../features/extstore/import/service.ts'
import { listListings } from '../../../features/listings/page/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import type { Visit } from '../../../http/visit.ts'
import { extendIdleTimeout } from '../../../lib/net/requests.ts'
import { parsePage } from '../../../lib/paging.ts'
import { type FormState, textOf } from '../../kit/form-state.ts'
import { type Act, ownPages, type ShowPage } from '../../kit/pages.ts'
import { compareImport } from './compare.ts'
import { ImportPage } from './import-page.tsx'

const { view, submit } = ownPages
const ALL = parsePage({ page_size: '50' })

/** Import in two steps: a comparison with what is there, then the import itself. */
export function importPageRoutes(kit: HttpKit, deps: Deps) {
  async function render(user: WebsiteUser, visit: Visit, form: FormState, preview: Preview | null = null) {
    const { items: projects } = await listListings(deps, user, ALL)
    const comparison = preview && (await compareImport(deps, user, preview))
    return <ImportPage {...{ visit, form, preview, comparison, projects, isDeveloper: user.developerMode }} />
  }

  const showForm: ShowPage<WebsiteUser> = async (user, { visit, query, refused }) => {
    const values = new URLSearchParams(query.game_uid === undefined ? {} : { game_uid: query.game_uid })
    return await render(user, visit, refused?.form ?? { values, faults: [] })
  }

  const preview: Act<WebsiteUser> = async (user, form, context) => {
    const count = countPreview(deps, user, context.set.headers)
    const input = parseInput(form)
    const found = await extendIdleTimeout(context, () => previewImport(deps, user, input, count))
    // Shown, not redirected to, because the page carries the entered key to the second step.
    return { page: await render(user, context.visit, { values: form, faults: [] }, found), status: 200 }
  }

  const importAll: Act<WebsiteUser> = async (user, form, context) => {
    const count = countImport(deps, user, context.set.headers)
    const input = { ...parseInput(form), enable_auth: form.has('enable_auth') }
    const listing = await extendIdleTimeout(context, () => importListing(deps, user, input, count))
    return `/studio/${listing.vanity_name}/overview?done=imported`
  }

  return (
    createRoutes(kit, { name: 'studio-import', prefix: '/studio/import' })
      .get('', view(showForm), { page: true })
      // A preview leaves this address in the browser; opening it again leads back to the form.
      .get('/preview', ({ redirect }) => redirect('/studio/import', 303), { page: true })
      .post('/preview', submit('preview', preview, showForm), { page: true, limit: 'account_write' })
      .post('', submit('import', importAll, showForm), {
        page: true,
        limit: 'account_write',
        // The service requires a recent confirmation if the import turns on sign-in.
        detail: { 'x-fresh': true },
      })
  )
}

function parseInput(form: URLSearchParams): ImportInput {
  const target = textOf(form, 'game_uid')
  if (!form.has('groups')) {
    throw invalidFields([{ path: 'groups', message: 'Choose at least one part to import.' }])
  }
  return {
    app_id: textOf(form, 'app_id').trim(),
    web_api_key: textOf(form, 'web_api_key').trim(),
    game_uid: target === '' ? null : target,
    groups: form.getAll('groups'),
  }
}
