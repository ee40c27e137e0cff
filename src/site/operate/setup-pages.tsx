import { t } from 'elysia'

import type { Deps } from '../../deps.ts'
import { SETTINGS, STORE_NAME_MAX } from '../../domain/store-settings.ts'
import { openAuthLater } from '../../features/accounts/sign-in/open-auth.ts'
import { createWebsiteAuth } from '../../features/accounts/sign-in/website.ts'
import { checkSetup, isSetupToken, setUpStore } from '../../features/operate/setup/service.ts'
import { SettingsPatch } from '../../features/settings/model.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import type { Visit } from '../../http/visit.ts'
import { NAME_MAX } from '../../lib/text/names.ts'
import { NewCredentials, SmallPage } from '../account/sign-in-page.tsx'
import { counted, passCookies } from '../account/sign-in-routes.tsx'
import { readForm, textOf, typed } from '../kit/form-state.ts'
import { PostForm, SelectField, Submit, TextField } from '../kit/form.tsx'
import {
  type Act,
  atPage,
  browserOf,
  formOf,
  type PageState,
  publicPages,
  type ShowPage,
} from '../kit/pages.ts'
import { moveIssues } from './operator-form.tsx'

const { view, submit } = publicPages
const SetupSettings = t.Pick(SettingsPatch, ['name', 'accent', 'sign_up', 'publishing'])
const READERS = { accent: typed, sign_up: typed, publishing: typed }

/** Sets up a new store; needs the address with a token that the server printed when it started. */
export function setupPages(kit: HttpKit, deps: Deps) {
  // Needs no mail and no invitation, because the token proves access to the server.
  const openAuth = openAuthLater(deps, { sendsMail: false, checksInvitations: false })
  const auth = createWebsiteAuth(deps, openAuth)

  const show: ShowPage = async (_, context) => {
    const token = context.refused?.form.values.get('token') ?? context.query.token ?? ''
    const state = atPage(context, '/setup')
    if (!(await isSetupToken(deps, token)))
      return { page: <UsedSetupPage visit={state.visit} />, status: 404, isSecret: true }
    return { page: <SetupPage {...{ state, token }} />, isSecret: true }
  }

  const setUp: Act = async (_, form, context) => {
    const patch = await parsePatch(form)
    const account = {
      name: textOf(form, 'name'),
      email: textOf(form, 'email').trim(),
      password: textOf(form, 'password'),
    }
    const browser = browserOf(context, deps.config.trustProxy)
    passCookies(context, await setUpStore(deps, auth, browser, textOf(form, 'token'), { patch, account }))
    return '/account/security?done=setup#security'
  }

  /** The store's name is in the field `store_name`, because `name` is that of the account. */
  async function parsePatch(form: URLSearchParams): Promise<SettingsPatch> {
    try {
      const patch = readForm(SetupSettings, form, { ...READERS, name: () => textOf(form, 'store_name') })
      await checkSetup(deps, patch)
      return patch
    } catch (error) {
      throw moveIssues(error, (issue) => (issue.path === 'name' ? { ...issue, path: 'store_name' } : issue))
    }
  }

  return createRoutes(kit, { name: 'setup-pages' })
    .get('/setup', view(show), { page: true })
    .post('/setup', submit('setup', setUp, show), counted())
}

/** Everything that a new store needs, on one page. All of it can be changed later. */
function SetupPage({ state, token }: { state: PageState; token: string }) {
  const form = formOf(state, 'setup')
  const { settings } = state.visit.store
  const { name, accent } = settings
  return (
    <SmallPage state={state} title="Set up your store">
      <p>You can change all of this later, under Operate.</p>
      <PostForm action="/setup">
        <input type="hidden" name="token" value={token} />
        <h2>Your store</h2>
        <TextField
          {...{ form, name: 'store_name', label: 'Name of the store', value: name, limit: STORE_NAME_MAX }}
          required
        />
        <TextField
          {...{ form, name: 'accent', label: 'Colour', value: accent, type: 'color' }}
          hint="All colours of both themes are made from it, so that text can be read."
        />
        {(['sign_up', 'publishing'] as const).map((policy) => (
          <SelectField
            key={policy}
            {...{ form, name: policy, value: settings[policy] }}
            {...{ label: SETTINGS[policy].label, options: SETTINGS[policy].options }}
          />
        ))}
        <h2>Your account</h2>
        <p class="small">It runs the store. Next you add a passkey or an authenticator app to it.</p>
        <TextField
          {...{ form, name: 'name', label: 'Your name', maxLength: NAME_MAX }}
          autoComplete="name"
          required
        />
        <NewCredentials form={form} />
        <Submit>Set up the store</Submit>
      </PostForm>
    </SmallPage>
  )
}

function UsedSetupPage({ visit }: { visit: Visit }) {
  return (
    <SmallPage state={{ visit }} title="This address does not work">
      <p>
        It was used, or is older than 24 hours. If nobody runs this store yet, start the server again: it
        prints a new one.
      </p>
    </SmallPage>
  )
}
