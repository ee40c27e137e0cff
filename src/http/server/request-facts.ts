import type { Actor } from '../../domain/actor.ts'
import type { AppError } from '../../errors.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import { createUid } from '../../lib/ids.ts'
import { limitKeyOf, parseClientAddress } from '../../lib/net/addresses.ts'
import { originalOf } from '../../lib/net/requests.ts'

/** Facts are kept on the request itself: a WeakMap with all requests makes each of them cost three percent more. */
const ACTOR = Symbol('actor')
const ARRIVED_AT = Symbol('arrived at')

interface KnownRequest extends Request {
  [ACTOR]?: Actor
  [ARRIVED_AT]?: number
}

/** Called before anything waits, with a value of `performance.now()`. */
export function noteArrival(request: KnownRequest, time: number): void {
  request[ARRIVED_AT] = time
}

/** When the request reached this process, as `performance.now()` tells it. */
export function arrivalOf(request: KnownRequest): number {
  return request[ARRIVED_AT] ?? performance.now()
}

export function rememberActor(request: KnownRequest, actor: Actor): void {
  request[ACTOR] = actor
}

export function recallActor(request: KnownRequest): Actor | undefined {
  return request[ACTOR]
}

interface AskedBy {
  request: Request
  server: { requestIP(request: Request): { address: string } | null } | null
  actor: Actor
}

/** Tells visitors apart without storing who they are: by account, or by address and browser. */
export function visitorOf({ request, server, actor }: AskedBy, trustProxy: number): string {
  if ('userUid' in actor) return actor.userUid
  const socketAddress = () => server?.requestIP(originalOf(request))?.address
  const address = limitKeyOf(parseClientAddress(request.headers, socketAddress, trustProxy))
  return sha256Hex(`${address} ${request.headers.get('user-agent') ?? ''}`)
}

/** The account behind the request; null for guests, and before the access was checked. */
export function recallAccount(request: Request): string | null {
  const actor = recallActor(request)
  return actor && 'userUid' in actor ? actor.userUid : null
}

type FailureHook = (failure: AppError) => void

const failureHooks = new WeakMap<Request, FailureHook>()

/** Called if the request fails, before the response. */
export function onFailure(request: Request, hook: FailureHook): void {
  failureHooks.set(request, hook)
}

export function tellFailure(request: Request, failure: AppError): void {
  failureHooks.get(request)?.(failure)
}

const REQUEST_ID = /^[\w.-]{8,64}$/

/** A trusted proxy may set the id; otherwise a new one is created. */
export function createRequestIds(trustProxy: number): (request: Request) => string {
  if (trustProxy === 0) return () => createUid()
  return ({ headers }) => {
    const sent = headers.get('x-request-id')
    return sent !== null && REQUEST_ID.test(sent) ? sent : createUid()
  }
}
