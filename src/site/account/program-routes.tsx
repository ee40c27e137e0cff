import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { APPROVAL_KINDS } from '../../domain/approvals.ts'
import { AppError } from '../../errors.ts'
import { findProgram } from '../../features/accounts/service.ts'
import type { WebsiteAuth } from '../../features/accounts/sign-in/website.ts'
import { decideApproval, readApproval } from '../../features/agents/approvals.ts'
import type { HttpKit } from '../../http/kit.ts'
import { attempt, EMPTY_FORM, textOf } from '../kit/form-state.ts'
import { originsOf } from '../kit/next.ts'
import { show } from '../kit/render.ts'
import { browserOf, signInPath } from '../kit/signed-in.ts'
import { ApprovalPage, DecidedPage, NoApprovalPage } from './approval-page.tsx'
import { ConsentPage, UnknownClientPage } from './consent-page.tsx'

const DECISIONS = ['approve', 'reject'] as const

/** Where people grant a program access to their account, and approve what a program asks for. */
export function accessPages(kit: HttpKit, deps: Deps, auth: WebsiteAuth) {
  return new Elysia({ name: 'access-pages' })
    .use(kit)
    .get(
      '/oauth/consent',
      async ({ visit, set, server }) => {
        const query = visit.url.searchParams
        const oauthQuery = visit.url.search.slice(1)
        const browser = browserOf(visit, server, deps.config.trustProxy)
        const isSigned = query.has('sig') && (await auth.isSignedRequest(browser, oauthQuery))
        const target = query.get('redirect_uri') ?? ''
        const clientName = isSigned ? await findProgram(deps, query.get('client_id') ?? '', target) : null
        if (clientName === null || !URL.canParse(target)) {
          return show(visit, set, <UnknownClientPage visit={visit} />, { status: 400 })
        }
        const { host, protocol } = new URL(target)
        const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean)
        const request = { clientName, redirectHost: host || protocol, scopes, oauthQuery }
        const formTargets = originsOf(target)
        return show(visit, set, <ConsentPage visit={visit} {...request} />, { formTargets })
      },
      { page: true },
    )
    .post(
      '/oauth/consent',
      async ({ visit, form, server, redirect }) => {
        const oauthQuery = textOf(form, 'oauth_query')
        if (visit.actor.kind !== 'user') return redirect(`/sign-in?${oauthQuery}`, 303)
        const browser = browserOf(visit, server, deps.config.trustProxy)
        const isAllowed = form.get('decision') === 'accept'
        return redirect(await auth.answerConsent(browser, isAllowed, oauthQuery), 303)
      },
      { limit: 'accounts', page: true },
    )
    .get(
      '/approvals/:token',
      async ({ params: { token }, query, visit, set, redirect }) => {
        const { actor } = visit
        const asked = await readApproval(deps, token)
        // Addresses of webhooks may contain secrets of the owner.
        const isHidden =
          asked?.kind === 'webhooks' && !(actor.kind === 'user' && actor.userUid === asked.ownerUid)
        if (isHidden && actor.kind !== 'user') return redirect(signInPath(visit), 303)
        if (asked && !isHidden)
          return show(visit, set, <ApprovalPage {...{ visit, token, asked, form: EMPTY_FORM }} />, {
            isSecret: true,
          })
        const decision = DECISIONS.find((known) => known === query.done)
        const kind = APPROVAL_KINDS.find((known) => known === query.kind)
        if (decision && kind)
          return show(visit, set, <DecidedPage {...{ visit, decision, kind }} />, { isSecret: true })
        return show(visit, set, <NoApprovalPage visit={visit} />, { status: 404, isSecret: true })
      },
      { page: true },
    )
    .post(
      '/approvals/:token',
      async ({ params: { token }, form, visit, set, redirect }) => {
        const { actor } = visit
        if (actor.kind !== 'user') return redirect(signInPath(visit), 303)
        const decision = DECISIONS.find((known) => known === form.get('decision'))
        if (!decision) throw new AppError('invalid_request', { message: 'Choose to approve or to reject.' })
        const asked = await readApproval(deps, token)
        const refused = await attempt(form, () => decideApproval(deps, actor, { token }, decision))
        if (asked && !refused) {
          return redirect(`/approvals/${encodeURIComponent(token)}?done=${decision}&kind=${asked.kind}`, 303)
        }
        if (!asked || !refused)
          return show(visit, set, <NoApprovalPage visit={visit} />, { status: 404, isSecret: true })
        const page = <ApprovalPage {...{ visit, token, asked, form: refused.form }} />
        return show(visit, set, page, { status: refused.status, isSecret: true })
      },
      { page: true },
    )
}
