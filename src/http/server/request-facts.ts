import type { Actor } from '../../domain/actor.ts'
import type { AppError } from '../../errors.ts'

const actors = new WeakMap<Request, Actor>()

export function rememberActor(request: Request, actor: Actor): void {
  actors.set(request, actor)
}

export function recallActor(request: Request): Actor | undefined {
  return actors.get(request)
}

/** The account behind the request; null for guests, and before the access was checked. */
export function recallAccount(request: Request): string | null {
  const actor = actors.get(request)
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
