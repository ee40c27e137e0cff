import type { VNode } from 'preact'

import { CONFIRM_PAGE } from '../../domain/confirmation.ts'
import type { Storefront } from '../../domain/storefront.ts'
import type { ErrorName } from '../../error-table.ts'
import type { AppError } from '../../errors.ts'
import type { FailurePages } from '../../http/base.ts'
import type { HeaderSet } from '../../http/output/caching.ts'
import { sendPage } from '../../http/output/pages.ts'
import { parseEncoding } from '../../http/server/compression.ts'
import { recallActor } from '../../http/server/request-facts.ts'
import { readVisit, type Visit } from '../../http/visit.ts'
import { isLoopbackHost } from '../../lib/net/addresses.ts'
import { parseUrl } from '../../lib/net/requests.ts'
import { formatDuration } from '../../lib/text/show.ts'
import { ContactLine } from '../components/brand.tsx'
import { Layout } from './layout.tsx'
import { signInPathTo } from './pages.ts'
import { renderPage } from './render.ts'

const TITLES: Readonly<Record<number, string>> = {
  401: 'Please sign in',
  403: 'You have no access to this',
  404: 'There is no such page',
  413: 'That is too large',
  429: 'That was a lot at once',
  503: 'Back in a moment',
}

const MISDIRECTED = 421

interface ErrorPageProps {
  visit: Visit
  error: AppError
  /** Shown where somebody may want to report it; pages that are missing must all be the same. */
  requestId: string | undefined
}

/** Hidden and missing pages get the same error page, so that it does not reveal which names exist. */
function ErrorPage({ visit, error, requestId }: ErrorPageProps) {
  const title = TITLES[error.status] ?? (error.status >= 500 ? 'Something went wrong' : 'That did not work')
  return (
    <Layout visit={visit} title={title}>
      <div class="failure">
        <ErrorPicture status={error.status} />
        <h1>{title}</h1>
        <p role="alert">{adviceFor(error)}</p>
        <p class="row">
          {waysOn(visit, error).map(([label, path], index) => (
            <a key={path} class={index === 0 ? 'button' : 'button second'} href={path}>
              {label}
            </a>
          ))}
        </p>
        <ContactLine contact={visit.store.settings.contact} />
        <p class="quiet small">
          Error {error.status}
          {requestId === undefined ? null : (
            <>
              {' '}
              · Request <code>{requestId}</code>
            </>
          )}
        </p>
      </div>
    </Layout>
  )
}

/** What helps most stands first. */
function waysOn({ request, url }: Visit, { status }: AppError): (readonly [label: string, path: string])[] {
  // A form cannot be sent again by a link.
  const page = request.method === 'GET' ? url.pathname + url.search : null
  const start = ['To the start page', '/'] as const
  if (status === 401) return [['Sign in', signInPathTo(page ?? '/')], start]
  if (page !== null && (status === 429 || status >= 500)) return [['Try again', page], start]
  return [start, ['Browse everything', '/search']]
}

/** Instead of messages that are written for programs. */
const ADVICE: Partial<Record<ErrorName, string>> = {
  unauthorized: 'This page needs an account.',
  method_not_allowed: 'This address cannot be opened by itself. Go back to the page that led here.',
  too_large: 'What you sent is larger than this store takes. Go back, and send less.',
  service_down: 'A part of this store cannot be reached right now. Try again in a minute.',
}

function adviceFor(error: AppError): string {
  if (error.status === 404) return 'The address may be mistyped, or the page was removed or hidden.'
  if (error.status === 429) {
    const wait = Number(error.headers['retry-after'])
    return `Wait ${wait > 0 ? formatDuration(wait) : 'a few seconds'}, then try again.`
  }
  return ADVICE[error.kind] ?? error.message
}

/** Where to redirect after errors that need a confirmation or a second factor; null for all others. */
function wayOut({ kind }: AppError, request: Request): string | null {
  if (kind === 'second_factor_needed') return '/account/security?needs=factor#security'
  if (kind !== 'confirmation_needed') return null
  const { pathname, search } = parseUrl(request.url)
  const from = URL.parse(request.headers.get('referer') ?? '')
  const page = request.method === 'GET' || !from ? pathname + search : from.pathname + from.search
  return `${CONFIRM_PAGE}?next=${encodeURIComponent(page)}`
}

interface OtherHostProps {
  visit: Visit
  opened: string | null
  baseUrl: string
}

function OtherHostPage({ visit, opened, baseUrl }: OtherHostProps) {
  return (
    <Layout visit={visit} title="This store has another address" isBare>
      <div class="panel small-page">
        <h1>This store has another address</h1>
        <p>
          You opened {opened === null ? 'it by another name' : <strong>{opened}</strong>}. Signing in and
          playing only work at <strong>{baseUrl}</strong>.
          {isLoopbackHost(new URL(baseUrl).hostname)
            ? ' That address only works on the computer that runs the store.'
            : null}
        </p>
        <a class="button" href={baseUrl + visit.url.pathname + visit.url.search}>
          Open this page there
        </a>
        <h2>If you run this store</h2>
        <p class="small">
          Set <code>BASE_URL</code> to the address that people open, and start the store again:
        </p>
        <pre class="secret" tabIndex={0} role="region" aria-label="The setting">
          {`BASE_URL=${opened ?? 'https://games.example.org'}`}
        </pre>
        <p class="small quiet">
          If you see this page at {baseUrl} itself, the proxy in front of the store changes the{' '}
          <code>Host</code> header: let it pass on the one that came.
        </p>
      </div>
    </Layout>
  )
}

/** The pages for failures. The actor is known unless the request failed before authentication. */
export function failurePages(
  baseUrl: string,
  readStore: () => Storefront,
  hasJams: () => boolean,
): FailurePages {
  function send(page: (visit: Visit) => VNode, status: number, request: Request, set: HeaderSet): Response {
    const actor = recallActor(request)
    const user = actor?.kind === 'user' ? actor : { kind: 'anonymous' as const }
    const visit = readVisit(request, user, readStore(), { hasJams: hasJams() })
    const rendered = renderPage(page(visit), parseEncoding(request.headers))
    return sendPage(rendered, request, set, { maxAge: null, status })
  }

  return {
    failure(error, request, set) {
      const way = wayOut(error, request)
      const requestId = error.status < 500 ? undefined : String(set.headers['x-request-id'] ?? '')
      if (way === null)
        return send((visit) => <ErrorPage {...{ visit, error, requestId }} />, error.status, request, set)
      set.headers.location = way
      return new Response(null, { status: 303 })
    },
    otherHost: ({ opened }, request, set) =>
      send((visit) => <OtherHostPage {...{ visit, opened, baseUrl }} />, MISDIRECTED, request, set),
  }
}

/** A shelf of books: what happened to it tells the failures apart. Drawn for this site. */
function ErrorPicture({ status }: { status: number }) {
  return (
    <svg class="error-picture" viewBox="0 0 240 130" aria-hidden="true">
      <g class="books">
        <rect x="30" y="42" width="20" height="72" rx="4" />
        <rect x="54" y="28" width="24" height="86" rx="4" />
        <rect x="82" y="50" width="18" height="64" rx="4" />
        <rect x="176" y="36" width="22" height="78" rx="4" />
      </g>
      <Middle status={status} />
      <rect class="board" x="14" y="114" width="212" height="8" rx="4" />
    </svg>
  )
}

/** The place in the middle: empty, locked, waiting, or with a book that fell over. */
function Middle({ status }: { status: number }) {
  if (status === 401 || status === 403)
    return (
      <g class="mark">
        <path class="line" d="M124 74V62a14 14 0 0 1 28 0v12" />
        <rect x="114" y="74" width="48" height="40" rx="7" />
      </g>
    )
  if (status === 429 || status === 503)
    return (
      <g class="mark">
        <circle class="line" cx="138" cy="80" r="31" />
        <path class="line" d="M138 62v19l13 8" />
      </g>
    )
  if (status >= 500)
    return <rect class="mark" x="112" y="40" width="22" height="76" rx="4" transform="rotate(24 123 78)" />
  return (
    <g class="mark">
      <rect class="line" x="106" y="32" width="26" height="80" rx="4" stroke-dasharray="7 6" />
      <rect class="line" x="140" y="46" width="24" height="66" rx="4" stroke-dasharray="7 6" />
    </g>
  )
}
