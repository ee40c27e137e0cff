import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { invalidFields } from '../../../errors.ts'
import { countImport, countPreview } from '../../../features/extstore/import/count-import.ts'
import type { ImportInput, Preview } from '../../../features/extstore/import/model.ts'
import { importListing, previewImport } from '../../../features/extstore/import/service.ts'
import { listListings } from '../../../features/listings/page/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import type { Visit } from '../../../http/visit.ts'
import { extendIdleTimeout } from '../../../lib/net/idle-timeout.ts'
import { readPage } from '../../../lib/paging.ts'
import { attempt, EMPTY_FORM, type FormState, textOf } from '../../kit/form-state.ts'
import { show } from '../../kit/render.ts'
import { requireUser, signInPath } from '../../kit/signed-in.ts'
import { SHOWN_AT_FORM } from '../frame/handlers.ts'
import { compareImport } from './compare.ts'
import { ImportPage } from './import-page.tsx'

const ALL = readPage({ page_size: '50' })

/** Import in two steps: a comparison with what is there, then the import itself. */
export function importPageRoutes(kit: HttpKit, deps: Deps) {
  async function render(visit: Visit, form: FormState, preview: Preview | null = null) {
    const user = requireUser(visit.actor)
    const { items: projects } = await listListings(deps, user, ALL)
    const comparison = preview && (await compareImport(deps, user, preview))
    return <ImportPage {...{ visit, form, preview, comparison, projects, isDeveloper: user.developerMode }} />
  }

  return (
    new Elysia({ name: 'studio-import', prefix: '/studio/import' })
      .use(kit)
      .get(
        '',
        async ({ visit, query, set, redirect }) => {
          if (visit.actor.kind !== 'user') return redirect(signInPath(visit), 303)
          const values = new URLSearchParams(query.game_uid === undefined ? {} : { game_uid: query.game_uid })
          return show(visit, set, await render(visit, { ...EMPTY_FORM, values }))
        },
        { page: true },
      )
      // Opened again, the address of the form leads back to it.
      .get('/preview', ({ redirect }) => redirect('/studio/import', 303), { page: true })
      .post(
        '/preview',
        async (context) => {
          const { visit, form, set } = context
          const user = requireUser(visit.actor)
          const previews: Preview[] = []
          const counts = countPreview(deps, user, set.headers)
          const work = async () => {
            previews.push(
              await extendIdleTimeout(context, () => previewImport(deps, user, readInput(form), counts)),
            )
          }
          const refused = await attempt(form, work, SHOWN_AT_FORM)
          const state = refused?.form ?? { values: form, faults: [] }
          // The page carries the key to the second step.
          const options = { isSecret: true, status: refused?.status ?? 200 }
          return show(visit, set, await render(visit, state, previews[0]), options)
        },
        { page: true },
      )
      .post(
        '',
        async (context) => {
          const { visit, form, set, redirect } = context
          const user = requireUser(visit.actor)
          let vanityName = ''
          const refused = await attempt(
            form,
            async () => {
              const input = { ...readInput(form), enable_auth: form.has('enable_auth') }
              const work = () => importListing(deps, user, input, countImport(deps, user, set.headers))
              vanityName = (await extendIdleTimeout(context, work)).vanity_name
            },
            SHOWN_AT_FORM,
          )
          if (!refused) return redirect(`/studio/${vanityName}/overview?done=imported`, 303)
          const page = await render(visit, refused.form)
          return show(visit, set, page, { isSecret: true, status: refused.status })
        },
        { page: true },
      )
  )
}

function readInput(form: URLSearchParams): ImportInput {
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
