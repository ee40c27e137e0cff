import type { VNode } from 'preact'

import type { Deps } from '../../../deps.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Arrival } from '../../../lib/net/idle-timeout.ts'
import { attempt, EMPTY_FORM, type FormState } from '../../kit/form-state.ts'
import { type ResponseSettings, show } from '../../kit/render.ts'
import { signInPath } from '../../kit/signed-in.ts'
import { openProject, type Project } from './project.ts'

/** The part of Elysia's context that the studio's handlers use. */
export interface StudioContext extends Arrival, TabState {
  form: URLSearchParams
  set: ResponseSettings
  redirect: (path: string, status: 303) => Response
}

/** What a tab shows besides the project. */
export interface TabState {
  visit: Visit
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | undefined>>
  /** The form that was rejected, with its entries and faults. */
  refused?: { name: string; form: FormState; status: number }
}

export type ShowTab = (project: Project, state: TabState) => VNode | Promise<VNode>

/** Returns the path to go to; a page with a secret is shown at once, because it cannot be opened again. */
export type Act = (project: Project, form: URLSearchParams, context: StudioContext) => Promise<string | VNode>

/** The options of a route that changes a listing: counted together with the API's writes. */
export const CHANGES = { page: true, limit: 'listing_write' } as const

/** Whoever got this far may edit the listing, so that every refusal is about the form. */
export const SHOWN_AT_FORM = [400, 403, 404, 409, 412, 413, 415, 422, 429, 502]

/** Opens a tab. */
export function view(deps: Deps, showTab: ShowTab) {
  return async (context: StudioContext): Promise<Response> => {
    const { visit, params, set, redirect } = context
    if (visit.actor.kind !== 'user') return redirect(signInPath(visit), 303)
    const project = await openProject(deps, visit, refOf(params))
    return show(visit, set, await showTab(project, context))
  }
}

/** Submits the form `name` of a tab; when it is rejected the tab is shown again with every entry. */
export function submit(deps: Deps, name: string, act: Act, showTab: ShowTab) {
  return async (context: StudioContext): Promise<Response> => {
    const { visit, params, form, set, redirect } = context
    const project = await openProject(deps, visit, refOf(params))
    let outcome: string | VNode = ''
    const work = async () => {
      outcome = await act(project, form, context)
    }
    const refused = await attempt(form, work, SHOWN_AT_FORM)
    if (refused) {
      const current = await openProject(deps, visit, project.listing.uid)
      const page = await showTab(current, { ...context, refused: { name, ...refused } })
      return show(visit, set, page, { status: refused.status, isSecret: true })
    }
    if (typeof outcome === 'string') return redirect(outcome, 303)
    return show(visit, set, outcome, { status: 201, isSecret: true })
  }
}

/** The state of one form of a tab. */
export function formOf({ refused }: TabState, name: string): FormState {
  return refused?.name === name ? refused.form : EMPTY_FORM
}

/** The path of a tab, with the notice to show there. */
export function tabPath({ listing }: Project, tab: string, done?: string): string {
  return `/studio/${listing.vanity_name}/${tab}${done === undefined ? '' : `?done=${done}`}`
}

function refOf(params: Readonly<Record<string, string>>): string {
  return params.uid ?? ''
}
