import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

import { sendPage } from '../http/pages.ts'
import type { Visit } from '../http/visit.ts'

export function toMarkup(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`
}

export interface ResponseSettings {
  headers: Record<string, string | number>
}

export interface ShowOptions {
  /** Seconds a shared cache may reuse the page of a guest. */
  maxAge?: number
  status?: number
  /** It shows something that is seen once. */
  isSecret?: boolean
  formTargets?: readonly string[]
}

/** Answers with the page; what a signed-in person sees stays theirs. */
export function show(visit: Visit, set: ResponseSettings, page: VNode, options: ShowOptions = {}): Response {
  const { maxAge = 0, status, isSecret = false, formTargets = [] } = options
  const own = isSecret ? 'secret' : 'private'
  return sendPage(toMarkup(page), visit.request, set.headers, {
    maxAge: visit.actor.kind === 'user' || isSecret ? own : maxAge,
    formTargets,
    ...(status === undefined ? {} : { status }),
  })
}
