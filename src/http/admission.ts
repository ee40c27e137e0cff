import type { Actor, Anonymous, WebsiteUser } from '../domain/actor.ts'
import { takeOverBody } from './body-check.ts'
import { readFormBody, readJsonBody } from './body.ts'
import { recallActor, rememberActor } from './request-facts.ts'
import { readVisit } from './visit.ts'

export const ACCESS = [
  'open',
  'visitor',
  'page',
  'player',
  'reporter',
  'website',
  'website_or_agent',
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
}

/**
 * Authenticates before the body is read: strangers neither learn its schema nor cost us its bytes. The hooks
 * destructure only what they use, because Elysia prepares everything a hook might read.
 */
export function admit<A extends Actor>(
  access: Access,
  authenticate: (context: RequestContext) => Promise<A>,
  scopes: readonly string[] = [],
) {
  const remember = async (context: RequestContext): Promise<void> =>
    rememberActor(context.request, await authenticate(context))
  return {
    detail: describeAccess(access, scopes),
    parse: async ({
      request,
      params,
      set,
      server,
      contentType,
    }: RequestContext & { contentType: string }) => {
      if (!recallActor(request)) await remember({ request, params, set, server })
      return await readJsonBody(request, contentType)
    },
    transform: ({ request, params, set, server }: RequestContext) =>
      recallActor(request) ? undefined : remember({ request, params, set, server }),
    introspect: takeOverBody,
    // Only this route's own hooks set the actor.
    resolve: ({ request }: { request: Request }) => ({ actor: recallActor(request) as A }),
  }
}

/** Like `admit`, for credentials that are confirmed after the body is read and before the handler runs. */
export function admitConfirmed<A extends Actor>(
  access: Access,
  authenticate: (context: RequestContext) => Promise<A>,
  confirm: (context: RequestContext & { body: unknown }, actor: A) => Promise<void>,
) {
  const { resolve: readActor, ...admission } = admit(access, authenticate)
  return {
    ...admission,
    resolve: async ({ request, params, set, server, body }: RequestContext & { body: unknown }) => {
      const { actor } = readActor({ request })
      await confirm({ request, params, set, server, body }, actor)
      return { actor }
    },
  }
}

/** For pages, whose forms are sent by browsers. */
export function admitPage<A extends Anonymous | WebsiteUser>(
  access: Access,
  authenticate: (request: Request) => Promise<A>,
) {
  async function authenticateOnce(request: Request): Promise<void> {
    if (recallActor(request) === undefined) rememberActor(request, await authenticate(request))
  }
  return {
    detail: { ...describeAccess(access), hide: true },
    parse: async ({ request }: { request: Request }) => {
      await authenticateOnce(request)
      return await readFormBody(request)
    },
    transform: ({ request }: { request: Request }) => authenticateOnce(request),
    resolve: ({ request, body }: { request: Request; body: unknown }) => ({
      visit: readVisit(request, recallActor(request) as A),
      form: body instanceof URLSearchParams ? body : new URLSearchParams(),
    }),
  }
}

/** For routes that read no credential. */
export function admitAnyone() {
  return {
    detail: describeAccess('open'),
    parse: ({ request, contentType }: { request: Request; contentType: string }) =>
      readJsonBody(request, contentType),
    introspect: takeOverBody,
  }
}

/** Like `admitAnyone`, for routes without a body: without hooks they respond synchronously. */
export function openRead(detail: object = {}) {
  return { detail: { ...detail, ...describeAccess('open') } }
}

/** Stored with the route, so that tests and the API description can read it from the route table. */
function describeAccess(access: Access, scopes: readonly string[] = []): object {
  return { 'x-access': access, 'x-scopes': [...scopes] }
}
