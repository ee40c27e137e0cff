import { Envelope, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parseClientAddress } from '../../../lib/net/addresses.ts'
import {
  Ownership,
  RefreshBody,
  RevokeBody,
  Revoked,
  SignedIn,
  TicketBody,
  Verified,
  VerifyBody,
} from './model.ts'
import { refreshToken, signInPlayer } from './players.ts'
import { loadOwnership, revokeTokens, verifyToken } from './servers.ts'
import type { SignIn } from './service.ts'

const signInLimits = ['extstore_sign_in', 'extstore_sign_in_game'] as const

/** Responses contain credentials or personal data, so no cache may store them. */
const noStore = ({ set }: { set: { headers: Record<string, string | number> } }) => {
  set.headers['cache-control'] = 'no-store'
}

export function signInRoutes(kit: HttpKit, signIn: SignIn) {
  const { trustProxy } = signIn.deps.config
  return createRoutes(kit, {
    name: 'extstore-sign-in',
    prefix: '/api/v1/extstore/:game_uid',
    tags: ['External-store sign-in'],
  })
    .onBeforeHandle(noStore)
    .post(
      '/auth',
      async ({ params, body, request, server }) => {
        const ip = parseClientAddress(request.headers, () => server?.requestIP(request)?.address, trustProxy)
        return ok(await signInPlayer(signIn, params.game_uid, body.ticket, ip))
      },
      {
        limit: signInLimits,
        open: true,
        body: TicketBody,
        response: Envelope(SignedIn),
        summary: 'Exchange a ticket of the external store for a session token',
        fails: ['sign_in_off', 'ticket_malformed', 'ticket_refused', 'not_an_owner', 'store_unreachable'],
      },
    )
    .post(
      '/refresh',
      async ({ params, body, request, server }) => {
        const ip = parseClientAddress(request.headers, () => server?.requestIP(request)?.address, trustProxy)
        return ok(await refreshToken(signIn, params.game_uid, body.token, ip))
      },
      {
        limit: signInLimits,
        open: true,
        body: RefreshBody,
        response: Envelope(SignedIn),
        summary: 'Exchange a token for a new one, until 24 hours after it expired; the old one is revoked',
        fails: ['sign_in_off', 'session_token_invalid', 'not_an_owner', 'store_unreachable'],
      },
    )
    .post('/server/verify', async ({ actor, body }) => ok(await verifyToken(signIn, actor, body)), {
      gameServer: true,
      limit: 'extstore_server',
      body: VerifyBody,
      response: Envelope(Verified),
      summary: 'Verify a token',
      fails: ['sign_in_off', 'session_token_foreign', 'store_unreachable'],
    })
    .post('/server/revoke', async ({ actor, body }) => ok(await revokeTokens(signIn, actor, body)), {
      gameServer: true,
      limit: 'extstore_server',
      body: RevokeBody,
      response: Envelope(Revoked),
      summary: 'Revoke one token, or every token of a player',
      fails: ['sign_in_off', 'store_input_invalid'],
    })
    .get(
      '/server/ownership/:extstore_id',
      async ({ actor, params }) => ok(await loadOwnership(signIn, actor, params.extstore_id)),
      {
        gameServer: true,
        limit: 'extstore_server',
        response: Envelope(Ownership),
        summary: 'Check whether an account owns the game; needs no token',
        fails: ['sign_in_off', 'store_input_invalid', 'store_unreachable'],
      },
    )
}
