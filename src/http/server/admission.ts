import type { Actor, Anonymous, WebsiteUser } from '../../domain/actor.ts'
import { type Followed, NOTHING_FOLLOWED } from '../../domain/follows.ts'
import type { Storefront } from '../../domain/storefront.ts'
import { isObject } from '../../lib/field-readers.ts'
import { isUid } from '../../lib/ids.ts'
import { readFormBody, readJsonBody, takeOverBody } from '../input/body.ts'
import { readVisit } from '../visit.ts'
import { rememberActor } from './request-facts.ts'
import { leaveLane } from './slow-lane.ts'

export const ACCESS = [
  'open',
  'visitor',
  'page',
  'player',
  'reporter',
  'saver',
  'website',
  'website_or_agent',
  'website_or_player',
  'agent',
  'deploy_key',
  'game_server',
  'operator',
] as const
export type Access = (typeof ACCESS)[number]

/** The part of Elysia's context that access and limits use, before anything is validated. */
export interface RequestContext {
  request: Request
  params: unknown
  set: { headers: Record<string, string | number> }
  server: { requestIP(request: Request): { address: string } | null } | null
  /** Unknown until the access of the route has been checked. */
  actor?: Actor | undefined
}

interface BodyContext extends RequestContext {
  /** Null if the handler reads the body itself, as a stream. */
  body?: unknown
  /** Of pages: what the visitor follows. */
  followed?: Followed
  /** Of pages: how many notices the visitor has not read. */
  unread?: number
}

/** What every page shows beside its subject. */
interface PageSources {
  storefront(): Storefront
  readFollowed(userUid: string): Promise<Followed>
  hasJams(): boolean
  countUnread(reader: WebsiteUser): Promise<number>
}

/**
 * Authenticates before the body is read: strangers neither learn its schema nor cost us its bytes. The hooks
 * destructure only what they use, because Elysia prepares everything a hook might read.
 */
export function admit<A extends Actor>(
  access: Access,
  authenticate: (context: RequestContext) => Promise<A>,
  scopes: readonly string[] = [],
  bodyLimit?: number,
) {
  return {
    detail: describeAccess(access, scopes),
    introspect: takeOverBody,
    transform: addToContext(async ({ request, params, set, server, body }: BodyContext) => {
      lowerUids(params)
      const actor = await authenticate({ request, params, set, server })
      rememberActor(request, actor)
      return { actor, body: body === undefined ? await readJsonBody(request, bodyLimit) : body }
    }),
    resolve: ({ actor }: RequestContext) => ({ actor: actor as A }),
  }
}

/** Like `admit`, for credentials that are confirmed after the body is read and before the handler runs. */
export function admitConfirmed<A extends Actor>(
  access: Access,
  authenticate: (context: RequestContext) => Promise<A>,
  confirm: (context: BodyContext, actor: A) => Promise<void>,
) {
  return {
    ...admit(access, authenticate),
    resolve: async ({ request, params, set, server, body, actor }: BodyContext) => {
      await confirm({ request, params, set, server, body }, actor as A)
      return { actor: actor as A }
    },
  }
}

/** Marks the routes of pages and their forms. */
export const PAGE_MARK = 'x-page'

/** For pages, whose forms are sent by browsers. */
export function admitPage<A extends Anonymous | WebsiteUser>(
  access: Access,
  authenticate: (request: Request) => Promise<A>,
  { storefront, readFollowed, hasJams, countUnread }: PageSources,
) {
  return {
    detail: { ...describeAccess(access), [PAGE_MARK]: true, hide: true },
    introspect: takeOverBody,
    transform: addToContext(async ({ request, params, body }: BodyContext) => {
      lowerUids(params)
      const actor = await authenticate(request)
      rememberActor(request, actor)
      // Pages only mark what is followed and unread, so that they can do without.
      const [followed, unread] =
        actor.kind === 'user'
          ? await Promise.all([
              readFollowed(actor.userUid).catch(() => NOTHING_FOLLOWED),
              countUnread(actor).catch(() => 0),
            ])
          : [NOTHING_FOLLOWED, 0]
      return { actor, followed, unread, body: body === undefined ? await readFormBody(request) : body }
    }),
    resolve: ({ request, body, actor, followed, unread }: BodyContext) => ({
      visit: readVisit(request, actor as A, storefront(), { followed, unread, hasJams: hasJams() }),
      form: body instanceof URLSearchParams ? body : new URLSearchParams(),
    }),
  }
}

/** For routes that read no credential. */
export function admitAnyone() {
  return {
    detail: describeAccess('open'),
    introspect: takeOverBody,
    transform: addToContext(async ({ request, params, body }: BodyContext) => {
      lowerUids(params)
      return { body: body === undefined ? await readJsonBody(request) : body }
    }),
  }
}

/** Like `admitAnyone`, for routes without a body: without hooks they respond synchronously. */
export function openRead(detail: object = {}) {
  return { detail: { ...detail, ...describeAccess('open') } }
}

/** For routes that read the body themselves, as a stream. */
export function leaveBody() {
  return {
    transform: addToContext(({ request }: BodyContext) => {
      leaveLane(request)
      return { body: null }
    }),
  }
}

/** Postgres ignores the case of a uid; caches, locks and notifications do not, so all see the usual form. */
function lowerUids(params: unknown): void {
  if (!isObject(params)) return
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'string' && isUid(value)) params[name] = value.toLowerCase()
  }
}

/** Stored with the route, so that tests and the API description can read it from the route table. */
function describeAccess(access: Access, scopes: readonly string[] = []): object {
  return { 'x-access': access, 'x-scopes': [...scopes] }
}

/** Elysia adds what a transform returns to the context; its types expect nothing. */
function addToContext<Context>(
  hook: (context: Context) => object | Promise<object>,
): (context: Context) => Promise<void> {
  return hook as (context: Context) => Promise<never>
}
