import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { countImport, resyncListing } from '../../../features/extstore/import/service.ts'
import type { Settings } from '../../../features/extstore/link/model.ts'
import {
  getAuthKey,
  getSettings,
  renewAuthKey,
  renewTicketKey,
  replaceWebApiKey,
  turnOff,
  turnOn,
  unlink,
} from '../../../features/extstore/link/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { extendIdleTimeout } from '../../../lib/net/requests.ts'
import { textOf } from '../../kit/form-state.ts'
import {
  changes,
  dangerous,
  type Project,
  projectPages,
  type ShowTab,
  type TabAct,
  tabPath,
} from '../frame/studio-frame.tsx'
import { AuthKeyPage, SignInTab } from './sign-in-tab.tsx'

const settings = () => ({ page: true, fresh: true, limit: ['extstore_settings', 'listing_write'] }) as const

type Change = (deps: Deps, user: WebsiteUser, uid: string, key: string) => Promise<unknown>

/** Sign-in of players through the external store. */
export function signInTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const settings = await findSettings(deps, project)
    return <SignInTab {...{ project, state, settings }} />
  }

  const change =
    (done: string, write: Change): TabAct =>
    async (project, form) => {
      await write(deps, project.user, project.listing.uid, textOf(form, 'web_api_key').trim())
      return tabPath(project, 'sign-in', done)
    }

  /** A form instead of a link, because every view of the key is logged. */
  const reveal: TabAct = async ({ user, listing }, _, { visit }) => {
    const { auth_key: authKey } = await getAuthKey(deps, user, listing.uid)
    return <AuthKeyPage {...{ visit, authKey, back: `/studio/${listing.vanity_name}/sign-in#keys` }} />
  }

  const resync: TabAct = async (project, form, context) => {
    const { user, listing } = project
    const input = { groups: form.getAll('groups'), web_api_key: textOf(form, 'web_api_key').trim() }
    const count = countImport(deps, user, context.set.headers)
    await extendIdleTimeout(context, () => resyncListing(deps, user, listing.uid, input, count))
    return tabPath(project, 'sign-in', 'synced')
  }

  return createRoutes(kit, { name: 'studio-sign-in', prefix: '/studio/:uid/sign-in' })
    .get('', view(showTab), { page: true })
    .post('/enable', submit('enable', change('on', turnOn), showTab), settings())
    .post('/web-api-key', submit('key', change('key', replaceWebApiKey), showTab), settings())
    .post('/disable', submit('disable', change('off', turnOff), showTab), dangerous())
    .post('/auth-key', submit('reveal', reveal, showTab), dangerous())
    .post('/auth-key/renew', submit('renew', change('auth-key', renewAuthKey), showTab), dangerous())
    .post('/ticket-key', submit('renew', change('ticket-key', renewTicketKey), showTab), dangerous())
    .post('/unlink', submit('unlink', change('unlinked', unlink), showTab), dangerous())
    .post('/resync', submit('resync', resync, showTab), changes())
}

/** null while the listing is not linked to an app of the external store. */
async function findSettings(deps: Deps, { user, listing }: Project): Promise<Settings | null> {
  try {
    return await getSettings(deps, user, listing.uid)
  } catch (error) {
    if (error instanceof AppError && error.kind === 'store_not_linked') return null
    throw error
  }
}
