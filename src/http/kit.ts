import { Elysia, type ElysiaConfig } from 'elysia'

import { countRequest, listingSubject } from '../clients/rate-store/count-request.ts'
import type { Deps } from '../deps.ts'
import type { Actor, AgentScope, PlayerScope } from '../domain/actor.ts'
import { STABLE } from '../domain/builds/channels.ts'
import { requireConfirmed } from '../domain/confirmation.ts'
import { type LimitName, type LimitRow, LIMITS } from '../domain/limit-table.ts'
import type { ErrorName } from '../error-table.ts'
import { AppError } from '../errors.ts'
import { sha256Hex } from '../lib/bytes/hash.ts'
import { limitKeyOf, parseClientAddress } from '../lib/net/addresses.ts'
import { prepareJson } from '../lib/net/prepared-response.ts'
import { originalOf } from '../lib/net/requests.ts'
import { Authenticator } from './access/auth.ts'
import type { CredentialSources } from './access/credentials.ts'
import { requestsListingWrite } from './access/listing-writes.ts'
import { OPERATOR_BODY_LIMIT } from './input/body.ts'
import { MOVED } from './openapi/failures.ts'
import { type CacheRule, describeCache, sendPrepared } from './output/caching.ts'
import {
  admit,
  admitAnyone,
  admitConfirmed,
  admitPage,
  leaveBody,
  type RequestContext,
} from './server/admission.ts'
import { isFromOtherSite } from './server/own-hosts.ts'
import { onFailure } from './server/request-facts.ts'

export type HttpKit = ReturnType<typeof createHttpKit>

/**
 * The options of a route. Each route declares its access (exactly one of those up to `gameServer`), and optionally its
 * rate limits, how long its response can be cached, and what the API's description says about it:
 * `.get('/x', handler, { limit: 'search', visitor: true, cache: { maxAge: 5 }, summary: 'Find x', fails: 'taken' })`
 */
export function createHttpKit(deps: Deps, sources: CredentialSources) {
  const auth = new Authenticator(sources, deps.config.baseUrl)
  const foreign = `Another website sent this request. Open the page at ${deps.config.baseUrl} and try again.`
  const ownOrigins = [deps.config.baseUrl, deps.config.mcpAuthUrl].map((url) => new URL(url).origin)

  /** What a limit counts by; null if the request has none. */
  function subjectOf(
    { request, params, server, actor }: RequestContext,
    per: LimitRow['per'],
  ): string | null | Promise<string | null> {
    switch (per) {
      case 'ip':
        return ipOf(request, server)
      case 'visitor':
        return sha256Hex(`${ipOf(request, server)} ${request.headers.get('user-agent') ?? ''}`).slice(0, 16)
      case 'game': {
        const ref = parseParam(params, 'game_uid')
        return actor && 'gameUid' in actor ? actor.gameUid : ref && sources.findGameUid(ref)
      }
      case 'account':
        return accountOf(actor)
      case 'account_and_listing':
        return listingSubjectOf(accountOf(actor), parseParam(params, 'uid') ?? parseParam(params, 'game_id'))
      case 'everyone':
      case 'ip_and_origin':
      case 'token':
      case 'mailbox':
        break
    }
    return null
  }

  function ipOf(request: Request, server: RequestContext['server']): string {
    const socketAddress = () => server?.requestIP(originalOf(request))?.address
    return limitKeyOf(parseClientAddress(request.headers, socketAddress, deps.config.trustProxy))
  }

  async function listingSubjectOf(account: string | null, ref: string | null): Promise<string | null> {
    if (account === null || ref === null) return null
    return listingSubject(account, await sources.findListingUid(ref, account))
  }

  const count = (context: RequestContext, rows: readonly LimitName[]): Promise<void> =>
    countRequest(deps.rates, rows, (per) => subjectOf(context, per), context.set.headers)

  async function countWrongKeys<Result>(context: RequestContext, checking: Promise<Result>): Promise<Result> {
    try {
      return await checking
    } catch (error) {
      if (error instanceof AppError && error.kind === 'game_auth_key_invalid')
        await count(context, ['extstore_wrong_key'])
      throw error
    }
  }

  /** Private writes to one listing share a limit, so that routes need not name it. */
  async function countWrite<A extends Actor>(context: RequestContext, found: Promise<A>): Promise<A> {
    const actor = await found
    if (requestsListingWrite(context.request)) await count({ ...context, actor }, ['listing_write'])
    return actor
  }

  async function requireFactor({ actor }: RequestContext): Promise<void> {
    if (actor) await auth.requireFactor(actor)
  }

  /**
   * A separate hook, because naming the body makes Elysia read it, even for uploads. Forms may have spaces
   * around the name.
   */
  async function requireFactorForStable({ actor, params, body }: RequestContext & { body?: unknown }) {
    const channel = body instanceof URLSearchParams ? body.get('channel') : parseParam(params, 'channel')
    if (actor && channel?.trim() === STABLE) await auth.requireFactor(actor)
  }

  return new Elysia({ name: 'http-kit' }).macro({
    /** Anyone; no credential is read. */
    open: (_: true) => admitAnyone(),
    /**
     * With a scope, players need it; anonymous requests are always accepted. `download`: to read or to
     * install.
     */
    visitor: (scope: true | 'download' | PlayerScope) =>
      scope === true
        ? admit('visitor', ({ request }) => auth.visitor(request))
        : scope === 'download'
          ? admit('visitor', ({ request }) => auth.visitor(request, ['player:read', 'player:install']))
          : admit('visitor', ({ request }) => auth.visitor(request, [scope]), [scope]),
    /** A page of the website, signed in or not. */
    page: (_: true) => admitPage('page', (request) => auth.page(request), sources),
    player: (scope: PlayerScope) => admit('player', ({ request }) => auth.player(request, scope), [scope]),
    /** Needs `player:bugs`, or a session of the external-store sign-in; the handler checks its game. */
    reporter: (_: true) => admit('reporter', ({ request }) => auth.reporter(request), ['player:bugs']),
    /** Needs `player:saves`, a visit's token or a session of the external store; the handler checks its game. */
    saver: (_: true) => admit('saver', ({ request }) => auth.saver(request), ['player:saves']),
    website: (_: true) => admit('website', (context) => countWrite(context, auth.website(context.request))),
    websiteOrAgent: (scope: AgentScope) =>
      admit('website_or_agent', (context) => countWrite(context, auth.website(context.request, scope)), [
        scope,
      ]),
    websiteOrPlayer: (scope: PlayerScope) =>
      admit(
        'website_or_player',
        (context) => countWrite(context, auth.websiteOrPlayer(context.request, scope)),
        [scope],
      ),
    agent: (_: true) => admit('agent', ({ request }) => auth.agent(request)),
    operator: (_: true) => ({
      ...admit('operator', ({ request }) => auth.operator(request), [], OPERATOR_BODY_LIMIT),
      limit: 'operator' as const,
    }),
    operatorPage: (_: true) => admitPage('operator', (request) => auth.operatorPage(request), sources),
    /** `finish` also accepts an expired key, so that it can finish what it began. */
    deployKey: (use: true | 'finish') =>
      admit('deploy_key', ({ request }) => auth.deployKey(request, use === 'finish')),
    /** The path names the game: `/{game_uid}/server/…`. Wrong keys are counted, to prevent brute force. */
    gameServer: (_: true) =>
      admitConfirmed(
        'game_server',
        (context) =>
          countWrongKeys(
            context,
            auth.gameServer(context.request, parseParam(context.params, 'game_uid') ?? ''),
          ),
        (context, actor) => countWrongKeys(context, auth.confirmGameServer(actor, context.body)),
      ),

    /**
     * Declared before the access, it counts before any credential or body is read; after it, per game or
     * account.
     */
    limit: (names: LimitName | readonly LimitName[]) => {
      const rows = typeof names === 'string' ? [names] : names
      const needsAccount = rows.some((name) => LIMITS[name].per.startsWith('account'))
      const isOwnSite = rows.some((name) => 'ownSite' in LIMITS[name])
      return {
        detail: describe('x-limits', [...rows]),
        transform: async ({ request, params, set, server, actor }: RequestContext): Promise<void> => {
          if (isOwnSite && isFromOtherSite(request, ownOrigins))
            throw new AppError('forbidden', { message: foreign })
          // Guests may open pages, but not send forms that are counted per account.
          if (needsAccount && actor?.kind === 'anonymous') throw new AppError('unauthorized')
          await count({ request, params, set, server, actor }, rows)
        },
      }
    },

    /** Declared after the access: the session must have been confirmed in the last minutes. */
    fresh: (_: true) => ({
      detail: describe('x-fresh', true),
      transform: ({ actor }: RequestContext): void => {
        if (actor) requireConfirmed(actor, deps.config.baseUrl)
      },
    }),

    /** Declared after the access: requires a second factor where the store's policy does. */
    secondFactor: (when: 'always' | 'stable') => ({
      detail: describe('x-second-factor', when),
      transform: when === 'always' ? requireFactor : requireFactorForStable,
    }),

    /** Declared first: called with every failure of the route, also of its access and limits. */
    onFailure: (hook: (context: RequestContext, failure: AppError) => void) => ({
      transform: ({ request, params, set, server }: RequestContext): void =>
        onFailure(request, (failure) => hook({ request, params, set, server }, failure)),
    }),

    /** Declared before the access: the route reads the body itself, as a stream. */
    rawBody: (_: true) => leaveBody(),

    cache: (rule: CacheRule) => ({
      detail: describeCache(rule),
      afterHandle: ({ request, set, responseValue }) =>
        sendPrepared(prepareJson(responseValue), request, set, rule),
    }),

    summary: (summary: string) => ({ detail: { summary } }),
    description: (description: string) => ({ detail: { description } }),
    /** The errors that the route throws itself. */
    fails: (errors: ErrorName | readonly ErrorName[]) => ({ detail: describe('x-errors', [errors].flat()) }),
    /** It names a listing, which may have another name now. */
    mayMove: (_: true) => ({ detail: { responses: MOVED } }),
  })
}

/** The routes of a feature or an area; `tags` is their chapter in the API's description. */
export function createRoutes<const Prefix extends string = ''>(
  kit: HttpKit,
  config: ElysiaConfig<Prefix> = {},
) {
  return new Elysia(config).use(kit)
}

/** Stored with the route, for tests and the API description. */
function describe(name: string, value: unknown): object {
  return { [name]: value }
}

function accountOf(actor: Actor | undefined): string | null {
  return actor && 'userUid' in actor ? actor.userUid : null
}

function parseParam(params: unknown, name: string): string | null {
  if (typeof params !== 'object' || params === null) return null
  const value: unknown = Reflect.get(params, name)
  return typeof value === 'string' ? value : null
}
