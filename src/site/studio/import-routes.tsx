import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { AppError } from '../../errors.ts'
import type { ImportInput, Preview } from '../../features/extstore/import/model.ts'
import { importListing, previewImport } from '../../features/extstore/import/service.ts'
import type { Listing } from '../../features/listings/page/model.ts'
import { getListing, listListings } from '../../features/listings/page/service.ts'
import { extendIdleTimeout } from '../../http/idle-timeout.ts'
import type { HttpKit } from '../../http/kit.ts'
import { countRequest } from '../../http/limits.ts'
import type { Visit } from '../../http/visit.ts'
import { readPage } from '../../lib/paging.ts'
import { attempt, EMPTY_FORM, type FormState, textOf } from '../forms.ts'
import { ImportPage } from '../pages/studio/import.tsx'
import { show } from '../render.ts'
import { requireUser, signInPath } from '../signed-in.ts'

const SHOWN_AT_FORM = [400, 403, 404, 409, 422, 502]
const ALL = readPage({ page_size: '50' })

/** Import in two steps: a comparison with what is there, then the import itself. */
export function importPageRoutes(kit: HttpKit, deps: Deps) {
  async function render(visit: Visit, form: FormState, preview: Preview | null = null) {
    const user = requireUser(visit.actor)
    const target = preview?.target.game_uid ?? null
    const [{ items: projects }, current] = await Promise.all([
      listListings(deps, user, ALL),
      target === null ? null : getListing(deps, user, target),
    ])
    const listing: Listing | null = current?.listing ?? null
    return <ImportPage {...{ visit, form, preview, projects, listing, isDeveloper: user.developerMode }} />
  }

  return new Elysia({ name: 'studio-import', prefix: '/studio/import' })
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
    .post(
      '/preview',
      async (context) => {
        const { visit, form, set } = context
        const user = requireUser(visit.actor)
        const previews: Preview[] = []
        const work = async () => {
          previews.push(await extendIdleTimeout(context, () => previewImport(deps, user, readInput(form))))
        }
        const refused = await attempt(form, work, SHOWN_AT_FORM)
        const state = refused?.form ?? { values: form, faults: [] }
        // The page carries the key to the second step.
        const options = { isSecret: true, status: refused?.status ?? 200 }
        return show(visit, set, await render(visit, placeFault(state), previews[0]), options)
      },
      { page: true, limit: 'import_preview' },
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
            const work = () => importListing(deps, user, input, counterOf(deps, user, set.headers))
            vanityName = (await extendIdleTimeout(context, work)).vanity_name
          },
          SHOWN_AT_FORM,
        )
        if (!refused) return redirect(`/studio/${vanityName}/overview?done=imported`, 303)
        const page = await render(visit, placeFault(refused.form))
        return show(visit, set, page, { isSecret: true, status: refused.status })
      },
      { page: true, limit: 'import_attempt' },
    )
}

/** Imports share the account's limit; only those that reached the store count. */
function counterOf(deps: Deps, user: WebsiteUser, headers: Record<string, string | number>) {
  const subject = { ip: '', visitor: () => '', game: null, account: user.userUid }
  return () => countRequest(deps.rates, ['import'], subject, headers)
}

function readInput(form: URLSearchParams): ImportInput {
  const target = textOf(form, 'game_uid')
  if (!form.has('groups')) {
    throw new AppError('store_input_invalid', { message: 'groups: choose at least one thing to import.' })
  }
  return {
    app_id: textOf(form, 'app_id').trim(),
    web_api_key: textOf(form, 'web_api_key').trim(),
    game_uid: target === '' ? null : target,
    groups: form.getAll('groups'),
  }
}

/** The store's faults name their field in the message. */
function placeFault({ values, faults }: FormState): FormState {
  const names = ['app_id', 'web_api_key', 'groups']
  return {
    values,
    faults: faults.map(({ field, message }) => ({
      message,
      field: field || (names.find((name) => message.startsWith(name)) ?? ''),
    })),
  }
}
