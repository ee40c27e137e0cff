import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { AppError, invalidFields, type Issue } from '../../../errors.ts'
import { openAuthLater } from '../../../features/accounts/sign-in/open-auth.ts'
import { createWebsiteAuth } from '../../../features/accounts/sign-in/website.ts'
import { checkSetup, isSetupToken, setUpStore } from '../../../features/operate/setup/service.ts'
import { SettingsPatch } from '../../../features/settings/model.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { counted, passCookies } from '../../account/sign-in-routes.tsx'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { type Act, atPage, publicPages, type ShowPage } from '../../kit/pages.ts'
import { browserOf } from '../../kit/signed-in.ts'
import { SetupPage, UsedSetupPage } from './setup-page.tsx'

const { view, submit } = publicPages

/** The first start of a store, for whoever has the address that the server printed. */
export function setupPages(kit: HttpKit, deps: Deps) {
  // Neither a mail nor an invitation is needed: the token proves who runs the server.
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
    const patch = await readPatch(form)
    const account = {
      name: textOf(form, 'name'),
      email: textOf(form, 'email').trim(),
      password: textOf(form, 'password'),
    }
    const browser = browserOf(context, deps.config.trustProxy)
    passCookies(context, await setUpStore(deps, auth, browser, textOf(form, 'token'), { patch, account }))
    return '/account?done=setup#security'
  }

  async function readPatch(form: URLSearchParams): Promise<SettingsPatch> {
    const patch = {
      name: textOf(form, 'store_name'),
      accent: textOf(form, 'accent'),
      sign_up: textOf(form, 'sign_up'),
      publishing: textOf(form, 'publishing'),
    } as SettingsPatch
    try {
      checkForm(SettingsPatch, patch)
      await checkSetup(deps, patch)
      return patch
    } catch (error) {
      throw atFields(error)
    }
  }

  return new Elysia({ name: 'setup-pages' })
    .use(kit)
    .get('/setup', view(show), { page: true })
    .post('/setup', submit('setup', setUp, show), counted())
}

/** The form has another name too, which is the one of the account. */
function atFields(error: unknown): unknown {
  const issues: unknown = error instanceof AppError ? error.data?.issues : undefined
  if (!(error instanceof AppError) || !Array.isArray(issues)) return error
  const named = (issues as Issue[]).map((issue) =>
    issue.path === 'name' ? { ...issue, path: 'store_name' } : issue,
  )
  return invalidFields(named, { kind: error.kind })
}
