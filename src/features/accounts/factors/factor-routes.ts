import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readClientAddress } from '../../../lib/net/client-address.ts'
import { confirmSession } from '../confirmation/confirm-session.ts'
import { disconnectProvider } from '../providers/connections.ts'
import type { WebsiteAuth } from '../sign-in/website.ts'
import {
  CodeInput,
  Confirmation,
  Factors,
  NewAuthenticator,
  PasskeyPatch,
  Proof,
  RecoveryCodes,
} from './factor-model.ts'
import * as factors from './factors.ts'

const tags = ['Accounts']
const nothing = Envelope(t.Object({}))

/** Passkeys are added by the account library's own routes. */
export function factorRoutes(kit: HttpKit, deps: Deps, website: WebsiteAuth) {
  return new Elysia({ name: 'factors', prefix: '/api/v1/private/me' })
    .use(kit)
    .get('/factors', async ({ actor }) => ok(await factors.listFactors(deps, actor)), {
      website: true,
      response: Envelope(Factors),
      detail: { tags, summary: 'How the account signs in: passkeys, app, codes, trusted browsers' },
    })
    .post(
      '/confirmation',
      async ({ actor, body, request, server }) => {
        const socketAddress = () => server?.requestIP(request)?.address
        const address = readClientAddress(request.headers, socketAddress, deps.config.trustProxy)
        return ok(await confirmSession(deps, website, actor, { headers: request.headers, address }, body))
      },
      {
        limit: 'accounts',
        website: true,
        body: Proof,
        response: Envelope(Confirmation),
        detail: {
          tags,
          summary: 'Confirm with the password or a code that it is you, for 15 minutes',
          ...failsWith('rate_limited'),
        },
      },
    )
    .post('/authenticator', async ({ actor }) => ok(await factors.startAuthenticator(deps, actor)), {
      website: true,
      limit: 'account_write',
      fresh: true,
      response: Envelope(NewAuthenticator),
      detail: {
        tags,
        summary: 'Begin to add an authenticator app; a code of it confirms it',
        ...failsWith('taken', 'rate_limited'),
      },
    })
    .post(
      '/authenticator/confirm',
      async ({ actor, body }) => ok(await factors.confirmAuthenticator(deps, actor, body.code)),
      {
        website: true,
        limit: 'account_write',
        fresh: true,
        body: CodeInput,
        response: Envelope(RecoveryCodes),
        detail: {
          tags,
          summary: 'Add the authenticator app; recovery codes come with the first factor',
          ...failsWith('taken', 'rate_limited'),
        },
      },
    )
    .delete(
      '/authenticator',
      async ({ actor }) => {
        await factors.removeAuthenticator(deps, actor)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        fresh: true,
        response: nothing,
        detail: { tags, summary: 'Remove the authenticator app', ...failsWith('not_found') },
      },
    )
    .post('/recovery-codes', async ({ actor }) => ok(await factors.renewRecoveryCodes(deps, actor)), {
      website: true,
      limit: 'account_write',
      fresh: true,
      response: Envelope(RecoveryCodes),
      detail: {
        tags,
        summary: 'Make new recovery codes; those from before stop working',
        ...failsWith('taken', 'rate_limited'),
      },
    })
    .patch(
      '/passkeys/:uid',
      async ({ actor, params, body }) => {
        await factors.renamePasskey(deps, actor, params.uid, body.name)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        body: PasskeyPatch,
        response: nothing,
        detail: { tags, summary: 'Rename a passkey' },
      },
    )
    .delete(
      '/passkeys/:uid',
      async ({ actor, params }) => {
        await factors.removePasskey(deps, actor, params.uid)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        fresh: true,
        response: nothing,
        detail: { tags, summary: 'Remove a passkey' },
      },
    )
    .delete(
      '/providers/:provider',
      async ({ actor, params }) => {
        await disconnectProvider(deps, actor, params.provider)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        fresh: true,
        response: nothing,
        detail: {
          tags,
          summary: 'Disconnect a provider: it no longer signs in to the account',
          ...failsWith('taken'),
        },
      },
    )
    .delete(
      '/trusted-browsers/:uid',
      async ({ actor, params }) => {
        await factors.forgetBrowser(deps, actor, params.uid)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        response: nothing,
        detail: { tags, summary: 'Forget a trusted browser: it needs the second step again' },
      },
    )
}
