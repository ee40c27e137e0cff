import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

import { sendPage } from '../http/pages.ts'
import type { Visit } from '../http/visit.ts'

export function toMarkup(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`
}

interface ResponseSettings {
  headers: Record<string, string | number>
}

export interface ShowOptions {
  /** Seconds a shared cache may reuse the page of a guest. */
  maxAge?: number
  status?: number
}

/** Answers with the page; what a signed-in person sees stays theirs. */
export function show(visit: Visit, set: ResponseSettings, page: VNode, options: ShowOptions = {}): Response {
  const { maxAge = 0, status } = options
  return sendPage(toMarkup(page), visit.request, set.headers, {
    maxAge: visit.actor.kind === 'user' ? 'private' : maxAge,
    ...(status === undefined ? {} : { status }),
  })
}
