import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import { findClientName } from '../features/accounts/service.ts'
import { readApproval } from '../features/builds/channels/approvals.ts'
import type { HttpKit } from '../http/kit.ts'
import { ApprovalPage, NoApprovalPage } from './pages/accounts/approval.tsx'
import { ConsentPage, UnknownClientPage } from './pages/accounts/consent.tsx'
import { SignInPage } from './pages/accounts/sign-in.tsx'
import { show } from './render.ts'

/** Signing in and consenting happen by the account routes, which check everything again. */
export function accountPages(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'account-pages' })
    .use(kit)
    .get('/sign-in', ({ visit, set }) => show(visit, set, <SignInPage visit={visit} />), { page: true })
    .get(
      '/oauth/consent',
      async ({ visit, set }) => {
        const query = visit.url.searchParams
        const clientName = await findClientName(deps, query.get('client_id') ?? '')
        const target = query.get('redirect_uri') ?? ''
        if (clientName === null || !URL.canParse(target)) {
          return show(visit, set, <UnknownClientPage visit={visit} />, { status: 400 })
        }
        const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean)
        const request = { clientName, redirectHost: new URL(target).host, scopes }
        return show(visit, set, <ConsentPage visit={visit} {...request} />)
      },
      { page: true },
    )
    .get(
      '/approvals/:token',
      async ({ params, visit, set }) => {
        const asked = await readApproval(deps, params.token)
        return asked
          ? show(visit, set, <ApprovalPage visit={visit} asked={asked} />)
          : show(visit, set, <NoApprovalPage visit={visit} />, { status: 404 })
      },
      { page: true },
    )
}
