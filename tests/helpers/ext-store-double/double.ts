import { createHmac, randomBytes } from 'node:crypto'

import { drawPng } from '../files/pictures.ts'
import { DEMO_APPS } from './apps/demo-apps.ts'
import { DEMO_ACCOUNT, issueByHand, TICKET_PATH } from './by-hand.ts'
import { answerWithFault, type SocketFault, takeFault } from './faults.ts'
import { PICTURES, type StoreFixture } from './fixture.ts'
import { listen } from './listen.ts'
import {
  createState,
  type DoubleState,
  type Fault,
  type FaultPoint,
  type IssuedTicket,
  issueTicket,
  type KnownOwnership,
  ownershipKey,
  type ReceivedRequest,
} from './state.ts'
import { authenticateTicket, checkOwnership, getItems, getTagList, listPartnerApps } from './web-api.ts'

export interface ExtStoreDouble {
  origin: string
  /** Environment variables that point a server at the double. */
  env: Record<string, string>
  /** All requests it received, in order. */
  requests: ReceivedRequest[]
  /** Adds a publisher key and the apps it covers. */
  addKey(webApiKey: string, appIds: readonly number[]): void
  addApp(app: StoreFixture): void
  /**
   * Returns the ticket in hex. The player owns the app, or borrows it from `ownerExtstoreId`, unless
   * `setOwnership` differs.
   */
  issueTicket(ticket: IssuedTicket): string
  setOwnership(ownership: KnownOwnership): void
  /** Applies to all later requests, or to the given number. */
  fail(point: FaultPoint, fault: Fault, times?: number): void
  /** Clears all faults. */
  heal(): void
  /** Returns the address to which the store redirects the browser after sign-in. */
  signIn(ask: SignInAsk): string
  stop(): Promise<void>
}

/** Starts a double of the external store that uses the real formats and has the demo pages. */
export async function startExtStoreDouble({ port = 0 } = {}): Promise<ExtStoreDouble> {
  const state = createState()
  const openid = createOpenid(() => `${origin}/openid/login`)

  async function handle(request: Request): Promise<Response | SocketFault> {
    const { pathname, searchParams } = new URL(request.url)
    const fields =
      request.method === 'POST'
        ? new URLSearchParams(await request.text())
        : new URLSearchParams(searchParams)
    const params = Object.fromEntries(fields)
    const [point, answer] = route(pathname, fields, params)
    state.requests.push({ point, method: request.method, path: pathname, params })
    const fault = takeFault(state, point)
    if (fault === 'reset' || fault === 'half' || fault === 'hang') return fault
    return fault === null ? await answer() : await answerWithFault(fault, answer)
  }

  function route(
    path: string,
    fields: URLSearchParams,
    params: Record<string, string>,
  ): [FaultPoint | null, () => Response | Promise<Response>] {
    const version = Number(/\/v(\d+)\/?$/.exec(path)?.[1] ?? 1)
    switch (path.replace(/\/v\d+\/?$/, '')) {
      case '/ISteamUserAuth/AuthenticateUserTicket':
        return ['authenticate', () => authenticateTicket(state, params)]
      case '/ISteamUser/CheckAppOwnership':
        return ['ownership', () => checkOwnership(state, params, version)]
      case '/ISteamApps/GetPartnerAppListForWebAPIKey':
        return ['appList', () => listPartnerApps(state, params)]
      case '/IStoreBrowseService/GetItems':
        return ['items', () => getItems(state, params)]
      case '/IStoreService/GetTagList':
        return ['tags', () => getTagList(params)]
      case '/api/appdetails':
        return ['appDetails', () => appDetails(state, origin, params.appids ?? '')]
      case '/openid/login':
        return params['openid.mode'] === 'check_authentication'
          ? ['openid', () => openid.check(fields)]
          : [null, () => openid.page(fields)]
      case TICKET_PATH:
        return [null, () => issueByHand(state, params)]
      default:
        return path.startsWith(PICTURE_PATH)
          ? ['image', () => servePicture(state, path)]
          : [null, () => new Response('Not Found', { status: 404 })]
    }
  }

  const { origin, stop } = await listen(port, handle)
  for (const app of Object.values(DEMO_APPS)) state.apps.set(app.appId, app)

  return {
    origin,
    env: {
      EXTSTORE_API_URL: origin,
      EXTSTORE_PARTNER_URL: origin,
      EXTSTORE_STORE_URL: origin,
      EXTSTORE_OPENID_URL: `${origin}/openid/login`,
    },
    requests: state.requests,
    addKey: (webApiKey, appIds) => void state.keys.set(webApiKey, new Set(appIds)),
    addApp: (app) => void state.apps.set(app.appId, app),
    issueTicket: (ticket) => issueTicket(state, ticket),
    setOwnership(ownership) {
      state.ownerships.set(ownershipKey(ownership.appId, ownership.extstoreId), ownership)
    },
    fail: (point, fault, times = Number.POSITIVE_INFINITY) => {
      state.faults.set(point, { fault, left: times })
    },
    heal: () => state.faults.clear(),
    signIn: openid.assert,
    stop,
  }
}

const NAMESPACE = 'http://specs.openid.net/auth/2.0'
const SIGNED = 'signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle'

interface SignInAsk {
  returnTo: string
  extstoreId: string
  /** Fields to replace before signing. */
  changes?: Record<string, string>
}

/** A provider of OpenID 2.0 without associations, like the store. */
function createOpenid(endpoint: () => string) {
  const key = randomBytes(20)
  const checked = new Set<string>()

  const sign = (fields: URLSearchParams) => {
    const names = (fields.get('openid.signed') ?? '').split(',')
    const text = names.map((name) => `${name}:${fields.get(`openid.${name}`) ?? ''}\n`).join('')
    return createHmac('sha1', key).update(text).digest('base64')
  }

  /** Returns the address of the browser after sign-in. */
  function assert({ returnTo, extstoreId, changes = {} }: SignInAsk): string {
    const account = `${new URL('id/', endpoint()).href}${extstoreId}`
    const now = new Date().toISOString().replace(/\.\d+/, '')
    const fields = new URLSearchParams({
      'openid.ns': NAMESPACE,
      'openid.mode': 'id_res',
      'openid.op_endpoint': endpoint(),
      'openid.claimed_id': account,
      'openid.identity': account,
      'openid.return_to': returnTo,
      'openid.response_nonce': now + randomBytes(12).toString('base64'),
      'openid.assoc_handle': '1234567890',
      'openid.signed': SIGNED,
    })
    for (const [name, value] of Object.entries(changes)) fields.set(`openid.${name}`, value)
    fields.set('openid.sig', sign(fields))
    return append(returnTo, fields)
  }

  /** Confirms each assertion only once. */
  function check(fields: URLSearchParams): Response {
    const isGenuine = fields.get('openid.sig') === sign(fields)
    const nonce = fields.get('openid.response_nonce') ?? ''
    const isValid = isGenuine && !checked.has(nonce)
    checked.add(nonce)
    return new Response(`ns:${NAMESPACE}\nis_valid:${isValid}\n`, {
      headers: { 'content-type': 'text/plain;charset=utf-8' },
    })
  }

  /** The sign-in page: it asks for an account number, the real one for a password. */
  function page(fields: URLSearchParams): Response {
    const returnTo = fields.get('openid.return_to') ?? ''
    const account = fields.get('account')
    if (account !== null) return Response.redirect(assert({ returnTo, extstoreId: account }), 302)
    if (fields.has('cancel')) return Response.redirect(append(returnTo, CANCELLED), 302)
    const target = Bun.escapeHTML(returnTo)
    const markup = `<!doctype html>
      <title>Sign in to the store's double</title>
      <h1>Sign in to the store's double</h1>
      <form>
        <input type="hidden" name="openid.return_to" value="${target}" />
        <label>Account <input name="account" value="${DEMO_ACCOUNT}" pattern="[1-9][0-9]*" /></label>
        <button>Sign in</button>
      </form>
      <form>
        <input type="hidden" name="openid.return_to" value="${target}" />
        <button name="cancel" value="1">Cancel</button>
      </form>`
    return new Response(markup, { headers: { 'content-type': 'text/html; charset=utf-8' } })
  }

  return { assert, check, page }
}

const CANCELLED = new URLSearchParams({ 'openid.ns': NAMESPACE, 'openid.mode': 'cancel' })

function append(address: string, fields: URLSearchParams): string {
  return `${address}${address.includes('?') ? '&' : '?'}${fields.toString()}`
}

/** The address that serves recorded pictures instead. */
const PICTURE_PATH = '/store_item_assets/steam/apps'

function appDetails(state: DoubleState, origin: string, ids: string): Response {
  // The store allows several ids only with filters that this program does not use.
  if (!/^\d+$/.test(ids)) return new Response('null', { status: 400 })
  const details = state.apps.get(Number(ids))?.details
  const entry = details ? { success: true, data: details } : { success: false }
  const text = JSON.stringify({ [ids]: entry }).replaceAll(PICTURES, origin + PICTURE_PATH)
  return new Response(text, { headers: { 'content-type': 'application/json; charset=utf-8' } })
}

const drawn = new Map<string, Promise<Blob>>()

/** Returns a picture of the size in the fixture, whatever its name says. */
async function servePicture(state: DoubleState, path: string): Promise<Response> {
  const [, appId = '', file = ''] = /\/(\d+)\/([^/]+)$/.exec(path) ?? []
  const size = state.apps.get(Number(appId))?.pictures?.[file]
  if (!size) return new Response('Not Found', { status: 404 })
  const key = size.join('x')
  const picture = drawn.get(key) ?? draw(...size)
  drawn.set(key, picture)
  return new Response(await picture, { headers: { 'content-type': 'image/jpeg' } })
}

/** Painted small and enlarged: painting two million pixels one by one takes a second. */
async function draw(width: number, height: number): Promise<Blob> {
  const small = await drawPng(64, 36)
  return await new Bun.Image(small).resize(width, height, { fit: 'fill' }).jpeg({ quality: 80 }).blob()
}
