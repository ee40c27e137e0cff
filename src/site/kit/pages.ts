import type { VNode } from 'preact'

import type { Anonymous, WebsiteUser } from '../../domain/actor.ts'
import { AppError } from '../../errors.ts'
import type { Browser } from '../../features/accounts/sign-in/website.ts'
import type { HeaderSet } from '../../http/output/caching.ts'
import { atAddress, type Visit } from '../../http/visit.ts'
import { parseClientAddress } from '../../lib/net/addresses.ts'
import { type Arrival, originalOf } from '../../lib/net/requests.ts'
import { EMPTY_FORM, type FormState, type Refused, refuseNuls, toRefusal } from './form-state.ts'
import { expectOutcome } from './outcome.tsx'
import { show, type ShowOptions } from './render.ts'

/** What a page shows besides its subject. */
export interface PageState {
  visit: Visit
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | undefined>>
  /** The form that was rejected, with its entries and faults. */
  refused?: Refused
  /** The number of pending items on each tab, by the tab's path. */
  tabCounts?: Readonly<Record<string, number>>
}

/** Of a page that shows this beside its state. */
export type PageProps<Facts = unknown> = Facts & { state: PageState }

/** The part of Elysia's context that pages and forms use. */
export interface PageContext extends PageState {
  request: Request
  server: (NonNullable<Arrival['server']> & Sockets) | null
  form: URLSearchParams
  set: HeaderSet
  redirect: (path: string, status: 303) => Response
}

interface Shown extends ShowOptions {
  page: VNode
  /** The visit at the page's own address, if the requested one differs. */
  visit?: Visit
}

/** The path to go to, or what to show. */
export type Answer = string | VNode | Shown

/** Whoever opens a page, signed in or not. */
type Visitor = Visit['actor']

export type ShowPage<Subject = Visitor> = (subject: Subject, context: PageContext) => Answer | Promise<Answer>

/** Returns the path to go to; a page with a secret is shown at once, because it cannot be opened again. */
export type Act<Subject = Visitor> = (
  subject: Subject,
  form: URLSearchParams,
  context: PageContext,
) => Answer | Promise<Answer>

/** Pages and forms about one subject, which `open` finds for the visitor or refuses. */
export function pagesAbout<Subject>(open: (context: PageContext) => Subject | Promise<Subject>) {
  return {
    /** Shows a page. Guests who may not open it are redirected to the sign-in. */
    view: (showPage: ShowPage<Subject>) =>
      handler(async (context) => {
        try {
          recallForm(context)
          return send(context, await showPage(await open(context), context))
        } catch (error) {
          if (!isForUsers(error, context.visit)) throw error
          return send(context, signInPath(context.visit))
        }
      }),

    /** Submits the form `name` of a page; when it is rejected the page is shown again with every entry. */
    submit: (name: string, act: Act<Subject>, showPage: ShowPage<Subject>) =>
      handler(async (context) => {
        const { form } = context
        const subject = await open(context)
        try {
          refuseNuls(form)
          const answer = await act(subject, form, context)
          if (typeof answer === 'string') rememberForm(context, answer)
          return send(context, answer, 201)
        } catch (error) {
          const { request, visit } = context
          const refused = toRefusal(name, error, form, visit.store.externalStore)
          expectOutcome(request, {
            posted: visit.url.pathname,
            fragment: '',
            hints: [name, ...form.values()],
          })
          const page = await showPage(await open(context), { ...context, refused })
          return send(context, page, refused.status)
        }
      }),
  }
}

/** Remembers which form was sent for the page after it, because `?done=` only says what was done. */
const FORM_COOKIE = 'playshelf.form'
const FORM_COOKIE_SECONDS = 30
const FORM_MAX = 300

function rememberForm({ visit, set }: PageContext, target: string): void {
  if (!/[?&]done=/.test(target)) return
  const [, fragment = ''] = target.split('#')
  const value = encodeURIComponent(`${visit.url.pathname}#${fragment}`)
  if (value.length > FORM_MAX) return
  const cookie = `${FORM_COOKIE}=${value}; Path=/; Max-Age=${FORM_COOKIE_SECONDS}; HttpOnly; SameSite=Lax`
  const others = (set.headers['set-cookie'] ?? []) as string | string[]
  Object.assign(set.headers, { 'set-cookie': [others, cookie].flat() })
}

function recallForm({ request, query }: PageContext): void {
  if (query.done === undefined) return
  const known = new Bun.CookieMap(request.headers.get('cookie') ?? '').get(FORM_COOKIE)
  if (known === null) return
  const [posted = '', fragment = ''] = known.split('#')
  expectOutcome(request, { posted, fragment, hints: [] })
}

/** Names every part, because Elysia prepares only the parts of its context that a handler destructures. */
function handler(answer: (context: PageContext) => Promise<Response>) {
  return async ({ visit, params, query, request, server, form, set, redirect }: PageContext) =>
    await answer({ visit, params, query, request, server, form, set, redirect })
}

/** Pages that everyone may open. */
export const publicPages = pagesAbout<Visitor>(({ visit }) => visit.actor)

/** Pages of the signed-in account. */
export const ownPages = pagesAbout<WebsiteUser>(({ visit }) => requireUser(visit.actor))

/** The state of one form of a page. */
export function formOf({ refused }: Pick<PageState, 'refused'>, name: string): FormState {
  return refused?.name === name ? refused.form : EMPTY_FORM
}

/** After a rejected form, sets the page's own address, so that links on it do not use that of the form. */
export function atPage(context: PageContext, path: string): PageContext {
  return context.refused ? { ...context, visit: atAddress(context.visit, path) } : context
}

function send(context: PageContext, answer: Answer, status = 200): Response {
  if (typeof answer === 'string') return context.redirect(answer, 303)
  const { page, visit = context.visit, ...options }: Shown = 'page' in answer ? answer : { page: answer }
  return show(visit, context.set, page, { status, ...options })
}

function isForUsers(error: unknown, { actor }: Visit): boolean {
  return actor.kind !== 'user' && error instanceof AppError && error.kind === 'unauthorized'
}

export function requireUser(actor: Anonymous | WebsiteUser): WebsiteUser {
  if (actor.kind === 'user') return actor
  throw new AppError('unauthorized')
}

/** The path of the sign-in page, which leads back to this page afterwards. */
export function signInPath({ url }: Visit): string {
  return signInPathTo(url.pathname + url.search)
}

export function signInPathTo(next: string): string {
  return `/sign-in?next=${encodeURIComponent(next)}`
}

interface Sockets {
  requestIP(request: Request): { address: string } | null
}

interface Sent {
  visit: Visit
  server: Sockets | null
}

export function browserOf({ visit: { request }, server }: Sent, trustProxy: number): Browser {
  const socketAddress = () => server?.requestIP(originalOf(request))?.address
  return {
    headers: request.headers,
    address: parseClientAddress(request.headers, socketAddress, trustProxy),
  }
}
