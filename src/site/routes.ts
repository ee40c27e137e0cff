import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import { findClientName } from '../features/accounts/service.ts'
import { readApproval } from '../features/builds/channels/approvals.ts'
import type { HttpKit } from '../http/kit.ts'
import { sendPage, serveAsset } from '../http/pages.ts'
import { SCRIPT, STYLE } from './assets.ts'
import { renderApproval, renderNoApproval } from './pages/approval.ts'
import { renderConsent, renderUnknownClient } from './pages/consent.ts'
import { renderSignIn } from './pages/sign-in.ts'

const internal = { open: true, detail: { hide: true } } as const

/** The pages people see. Signing in and consenting happen by the account routes, which check everything again. */
export function siteRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'site' })
    .use(kit)
    .get('/', ({ redirect }) => redirect('/docs'), internal)
    .get(STYLE.path, serveAsset(STYLE), internal)
    .get(SCRIPT.path, serveAsset(SCRIPT), internal)
    .get('/sign-in', ({ set }) => sendPage(renderSignIn(), set.headers), internal)
    .get(
      '/oauth/consent',
      async ({ query, set }) => {
        const clientName = await findClientName(deps, query.client_id ?? '')
        const target = query.redirect_uri ?? ''
        if (clientName === null || !URL.canParse(target)) {
          set.status = 400
          return sendPage(renderUnknownClient(), set.headers)
        }
        const scopes = (query.scope ?? '').split(' ').filter(Boolean)
        return sendPage(
          renderConsent({ clientName, redirectHost: new URL(target).host, scopes }),
          set.headers,
        )
      },
      internal,
    )
    .get(
      '/approvals/:token',
      async ({ params, set }) => {
        const asked = await readApproval(deps, params.token)
        if (!asked) set.status = 404
        return sendPage(asked ? renderApproval(asked) : renderNoApproval(), set.headers)
      },
      internal,
    )
}
