import type { Deps } from '../../deps.ts'
import { APPROVAL_KINDS } from '../../domain/reports.ts'
import { AppError } from '../../errors.ts'
import { findProgram } from '../../features/accounts/oauth/programs.ts'
import type { WebsiteAuth } from '../../features/accounts/sign-in/website.ts'
import { decideApproval, findApproval } from '../../features/agents/approvals.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { arrivalOf } from '../../http/server/request-facts.ts'
import { textOf } from '../kit/form-state.ts'
import { originsOf } from '../kit/next.ts'
import { type Act, browserOf, publicPages, requireUser, type ShowPage, signInPath } from '../kit/pages.ts'
import {
  ApprovalPage,
  ConsentPage,
  DecidedPage,
  NoApprovalPage,
  UnknownClientPage,
} from './program-pages.tsx'

const DECISIONS = ['approve', 'reject'] as const

const { view, submit } = publicPages

/** Where people grant a program access to their account, and approve what a program asks for. */
export function accessPages(kit: HttpKit, deps: Deps, auth: WebsiteAuth) {
  const { trustProxy } = deps.config

  const showConsent: ShowPage = async (_, context) => {
    const { visit, refused } = context
    const oauthQuery = refused?.form.values.get('oauth_query') ?? visit.url.search.slice(1)
    const query = new URLSearchParams(oauthQuery)
    const browser = browserOf(context, trustProxy)
    const isSigned = query.has('sig') && (await auth.isSignedRequest(browser, oauthQuery))
    const target = query.get('redirect_uri') ?? ''
    const clientName = isSigned ? await findProgram(deps, query.get('client_id') ?? '', target) : null
    if (clientName === null || !URL.canParse(target))
      return { page: <UnknownClientPage visit={visit} />, status: 400 }
    const { host, protocol } = new URL(target)
    const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean)
    const request = { clientName, redirectHost: host || protocol, scopes, oauthQuery }
    return { page: <ConsentPage state={context} {...request} />, formTargets: originsOf(target) }
  }

  const consent: Act = async (actor, form, context) => {
    const oauthQuery = textOf(form, 'oauth_query')
    if (actor.kind !== 'user') return `/sign-in?${oauthQuery}`
    const isAllowed = form.get('decision') === 'accept'
    return await auth.answerConsent(browserOf(context, trustProxy), isAllowed, oauthQuery)
  }

  const showApproval: ShowPage = async (actor, state) => {
    const { visit, query } = state
    const { token = '' } = state.params
    const asked = await findApproval(deps, token)
    // Addresses of webhooks may contain secrets of the owner.
    const isHidden = asked?.kind === 'webhooks' && requireUser(actor).userUid !== asked.ownerUid
    if (asked && !isHidden) return { page: <ApprovalPage {...{ state, token, asked }} />, isSecret: true }
    const decision = DECISIONS.find((known) => known === query.done)
    const kind = APPROVAL_KINDS.find((known) => known === query.kind)
    if (decision && kind) return { page: <DecidedPage {...{ visit, decision, kind }} />, isSecret: true }
    return { page: <NoApprovalPage visit={visit} />, status: state.refused?.status ?? 404, isSecret: true }
  }

  const decide: Act = async (actor, form, { visit, request, params: { token = '' } }) => {
    if (actor.kind !== 'user') return signInPath(visit)
    const decision = DECISIONS.find((known) => known === form.get('decision'))
    if (!decision) throw new AppError('invalid_request', { message: 'Choose to approve or to reject.' })
    const asked = await findApproval(deps, token)
    await decideApproval(deps, actor, { token }, decision, arrivalOf(request))
    if (!asked) throw new AppError('not_found')
    return `/approvals/${encodeURIComponent(token)}?done=${decision}&kind=${asked.kind}`
  }

  return createRoutes(kit, { name: 'access-pages' })
    .get('/oauth/consent', view(showConsent), { page: true })
    .post('/oauth/consent', submit('consent', consent, showConsent), { limit: 'accounts', page: true })
    .get('/approvals/:token', view(showApproval), { page: true })
    .post('/approvals/:token', submit('approval', decide, showApproval), {
      // `decide` redirects guests to the sign-in itself.
      limit: 'accounts',
      page: true,
      secondFactor: 'always',
    })
}
