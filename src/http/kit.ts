import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { Actor, AgentScope, PlayerScope } from '../lib/actor.ts'
import { sha256Hex } from '../lib/hash.ts'
import { Authenticator } from './auth.ts'
import { cacheControlOf, type CacheRule, etagOf, matchesEtag } from './caching.ts'
import { limitKeyOf, readClientAddress } from './client-address.ts'
import { type CredentialSources, readBearer } from './credentials.ts'
import type { LimitName } from './limit-table.ts'
import { countRequest, type LimitSubject } from './limits.ts'

export const ACCESS = [
  'open',
  'visitor',
  'player',
  'website',
  'website_or_agent',
  'deploy_key',
  'game_server',
] as const
export type Access = (typeof ACCESS)[number]

export type HttpKit = ReturnType<typeof createHttpKit>

/** The part of Elysia's context that access and limits look at, before anything is parsed into types. */
interface RequestContext {
  request: Request
  params: unknown
  set: { headers: Record<string, string | number> }
  actor?: Actor
  server: { requestIP(request: Request): { address: string } | null } | null
}

/**
 * What a route may declare about itself. Each route says who may use it (exactly one of the first seven), and
 * may name its rate limits and how long its answer can be cached:
 * `.get('/me', handler, { website: true })`, `.get('/x', handler, { limit: 'search', visitor: true, cache: { maxAge: 5 } })`
 */
export function createHttpKit(deps: Deps, sources: CredentialSources) {
  const auth = new Authenticator(sources, deps.config.baseUrl)
  const addressOf = ({ request, server }: RequestContext) =>
    readClientAddress(request.headers, server?.requestIP(request)?.address, deps.config.trustProxy)

  return new Elysia({ name: 'http-kit' }).macro({
    /** Anyone; no credential is looked at. */
    open: (_: true) => ({ detail: describeAccess('open') }),
    visitor: (_: true) => admit('visitor', ({ request }) => auth.visitor(request), [{}, { player: [] }]),
    player: (scope: PlayerScope) =>
      admit('player', ({ request }) => auth.player(request, scope), [{ player: [scope] }]),
    website: (_: true) => admit('website', ({ request }) => auth.website(request)),
    websiteOrAgent: (scope: AgentScope) =>
      admit('website_or_agent', ({ request }) => auth.website(request, scope)),
    deployKey: (_: true) => admit('deploy_key', ({ request }) => auth.deployKey(request)),
    /** The path names the game: `/{game_uid}/server/…`. Wrong keys are counted, so that nobody can try them all. */
    gameServer: (_: true) =>
      admit(
        'game_server',
        async (context) => {
          try {
            return await auth.gameServer(context.request, readGameParam(context.params))
          } catch (error) {
            const subject = subjectOf(context, addressOf(context), undefined)
            await countRequest(deps.rates, ['extstore_wrong_key'], subject, context.set.headers)
            throw error
          }
        },
        [{ game_server: [] }],
      ),

    limit: (names: LimitName | readonly LimitName[]) => {
      const rows = typeof names === 'string' ? [names] : names
      return {
        detail: describeLimits(rows),
        transform: async (context: RequestContext) => {
          await countRequest(
            deps.rates,
            rows,
            subjectOf(context, addressOf(context), context.actor),
            context.set.headers,
          )
        },
      }
    },

    cache: (rule: CacheRule) => ({
      afterHandle: ({ request, set, responseValue }) => {
        const body = JSON.stringify(responseValue)
        const etag = etagOf(body)
        set.headers.etag = etag
        set.headers['cache-control'] = cacheControlOf(rule, readBearer(request.headers) !== null)
        set.headers.vary = 'Authorization, SVC_GAMES'
        if (matchesEtag(request.headers.get('if-none-match'), etag)) {
          set.status = 304
          return new Response(null, { status: 304 })
        }
        set.headers['content-type'] = 'application/json'
        return new Response(body)
      },
    }),
  })
}

/** Who asks is found out before the body is validated: a stranger learns nothing about its shape. */
function admit<A extends Actor>(
  access: Access,
  authenticate: (context: RequestContext) => Promise<A>,
  security: Record<string, string[]>[] = [],
) {
  return {
    detail: { ...describeAccess(access), security },
    transform: async (context: RequestContext) => {
      context.actor = await authenticate(context)
    },
    resolve: (context: object) => ({ actor: (context as { actor: A }).actor }),
  }
}

/** Kept with the route, so that tests and the API description read it from the route table. */
function describeAccess(access: Access): object {
  return { 'x-access': access }
}

function describeLimits(rows: readonly LimitName[]): object {
  return { 'x-limits': [...rows] }
}

function readGameParam(params: unknown): string {
  if (
    typeof params === 'object' &&
    params !== null &&
    'game_uid' in params &&
    typeof params.game_uid === 'string'
  ) {
    return params.game_uid
  }
  throw new AppError('not_found')
}

function subjectOf(context: RequestContext, address: string, actor: Actor | undefined): LimitSubject {
  const ip = limitKeyOf(address)
  const params = context.params
  const named =
    typeof params === 'object' && params !== null && 'game_uid' in params ? String(params.game_uid) : null
  return {
    ip,
    visitor: sha256Hex(`${ip} ${context.request.headers.get('user-agent') ?? ''}`).slice(0, 16),
    game: actor && 'gameUid' in actor ? actor.gameUid : named,
    account: actor && 'userUid' in actor ? actor.userUid : null,
  }
}
