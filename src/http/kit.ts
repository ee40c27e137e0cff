import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import type { Actor, AgentScope, PlayerScope } from '../domain/actor.ts'
import { AppError } from '../errors.ts'
import { sha256Hex } from '../lib/hash.ts'
import { admit, admitAnyone, admitConfirmed, admitPage, type RequestContext } from './admission.ts'
import { Authenticator } from './auth.ts'
import { type CacheRule, describeCache } from './caching.ts'
import { limitKeyOf, readClientAddress } from './client-address.ts'
import type { CredentialSources } from './credentials.ts'
import { type LimitName, LIMITS } from './limit-table.ts'
import { countRequest, type LimitSubject, listingSubject } from './limits.ts'
import { requestsListingWrite } from './listing-writes.ts'
import { prepareJson, sendPrepared } from './prepared.ts'
import { originalOf, recallActor } from './request-facts.ts'

export type HttpKit = ReturnType<typeof createHttpKit>

/**
 * The options of a route. Each route declares its access (exactly one of those up to `gameServer`), and optionally its
 * rate limits and how long its response can be cached: `.get('/me', handler, { website: true })`,
 * `.get('/x', handler, { limit: 'search', visitor: true, cache: { maxAge: 5 } })`
 */
export function createHttpKit(deps: Deps, sources: CredentialSources) {
  const auth = new Authenticator(sources, deps.config.baseUrl)

  /** Resolves the subjects that limits are counted by. */
  function subjectOf(
    { request, params, server }: RequestContext,
    actor = recallActor(request),
  ): Omit<LimitSubject, 'token'> {
    const socketAddress = () => server?.requestIP(originalOf(request))?.address
    const ip = limitKeyOf(readClientAddress(request.headers, socketAddress, deps.config.trustProxy))
    const ref = readParam(params, 'game_uid')
    const listing = readParam(params, 'uid')
    const account = actor && 'userUid' in actor ? actor.userUid : null
    return {
      ip,
      visitor: () => sha256Hex(`${ip} ${request.headers.get('user-agent') ?? ''}`).slice(0, 16),
      game: actor && 'gameUid' in actor ? actor.gameUid : ref && (() => sources.findGameUid(ref)),
      account,
      account_and_listing: async () =>
        account !== null && listing !== null
          ? listingSubject(account, await sources.findListingUid(listing, account))
          : null,
    }
  }

  async function countWrongKeys<Result>(context: RequestContext, checking: Promise<Result>): Promise<Result> {
    try {
      return await checking
    } catch (error) {
      if (error instanceof AppError && error.kind === 'game_auth_key_invalid') {
        await countRequest(deps.rates, ['extstore_wrong_key'], subjectOf(context), context.set.headers)
      }
      throw error
    }
  }

  /** Private writes to one listing share a limit, so that routes need not name it. */
  async function countWrite<A extends Actor>(context: RequestContext, found: Promise<A>): Promise<A> {
    const actor = await found
    if (requestsListingWrite(context.request))
      await countRequest(deps.rates, ['listing_write'], subjectOf(context, actor), context.set.headers)
    return actor
  }

  return new Elysia({ name: 'http-kit' }).macro({
    /** Anyone; no credential is read. */
    open: (_: true) => admitAnyone(),
    visitor: (_: true) => admit('visitor', ({ request }) => auth.visitor(request)),
    /** A page of the website, signed in or not. */
    page: (_: true) => admitPage('page', (request) => auth.page(request)),
    player: (scope: PlayerScope) => admit('player', ({ request }) => auth.player(request, scope), [scope]),
    /** Needs `player:bugs`, or a session of the external-store sign-in; the handler checks its game. */
    reporter: (_: true) => admit('reporter', ({ request }) => auth.reporter(request), ['player:bugs']),
    website: (_: true) => admit('website', (context) => countWrite(context, auth.website(context.request))),
    websiteOrAgent: (scope: AgentScope) =>
      admit('website_or_agent', (context) => countWrite(context, auth.website(context.request, scope)), [
        scope,
      ]),
    agent: (_: true) => admit('agent', ({ request }) => auth.agent(request)),
    operator: (_: true) => admit('operator', ({ request }) => auth.operator(request)),
    operatorPage: (_: true) => admitPage('operator', (request) => auth.operatorPage(request)),
    deployKey: (_: true) => admit('deploy_key', ({ request }) => auth.deployKey(request)),
    /** The path names the game: `/{game_uid}/server/…`. Wrong keys are counted, to prevent brute force. */
    gameServer: (_: true) =>
      admitConfirmed(
        'game_server',
        (context) =>
          countWrongKeys(
            context,
            auth.gameServer(context.request, readParam(context.params, 'game_uid') ?? ''),
          ),
        (context, actor) => countWrongKeys(context, auth.confirmGameServer(actor, context.body)),
      ),

    /**
     * Declared before the access it counts before any credential or body is read; declared after it, per game
     * or account.
     */
    limit: (names: LimitName | readonly LimitName[]) => {
      const rows = typeof names === 'string' ? [names] : names
      const needsAccount = rows.some((name) => LIMITS[name].per.startsWith('account'))
      const counted = new WeakSet<Request>()
      const count = async (context: RequestContext): Promise<void> => {
        counted.add(context.request)
        // Guests may open pages, but not send forms that are counted per account.
        if (needsAccount && recallActor(context.request)?.kind === 'anonymous')
          throw new AppError('unauthorized')
        await countRequest(deps.rates, rows, subjectOf(context), context.set.headers)
      }
      return {
        detail: describeLimits(rows),
        parse: ({ request, params, set, server }: RequestContext) =>
          counted.has(request) ? undefined : count({ request, params, set, server }),
        transform: ({ request, params, set, server }: RequestContext) =>
          counted.has(request) ? undefined : count({ request, params, set, server }),
      }
    },

    /** Declared before the access: the route reads the body itself, as a stream. */
    rawBody: (_: true) => ({ parse: () => null }),

    cache: (rule: CacheRule) => ({
      detail: describeCache(rule),
      afterHandle: ({ request, set, responseValue }) =>
        sendPrepared(prepareJson(responseValue), request, set.headers, rule),
    }),
  })
}

function describeLimits(rows: readonly LimitName[]): object {
  return { 'x-limits': [...rows] }
}

function readParam(params: unknown, name: string): string | null {
  if (typeof params !== 'object' || params === null) return null
  const value: unknown = Reflect.get(params, name)
  return typeof value === 'string' ? value : null
}
