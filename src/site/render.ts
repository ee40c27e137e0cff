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
  /** Seconds a shared cache may reuse a guest's page. */
  maxAge?: number
  status?: number
  /** Whether the page, or its address, holds a secret: no cache may store it. */
  isSecret?: boolean
  formTargets?: readonly string[]
}

/** Renders the page; pages of signed-in users are never shared. */
export function show(visit: Visit, set: ResponseSettings, page: VNode, options: ShowOptions = {}): Response {
  const { maxAge = 0, status, isSecret = false, formTargets = [] } = options
  const own = isSecret ? 'secret' : 'private'
  return sendPage(toMarkup(page), visit.request, set.headers, {
    maxAge: visit.actor.kind === 'user' || isSecret ? own : maxAge,
    formTargets,
    ...(status === undefined ? {} : { status }),
  })
}
