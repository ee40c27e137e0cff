import { DEMO_APPS } from './apps/demo-apps.ts'
import { issueByHand, TICKET_PATH } from './by-hand.ts'
import { answerWithFault, type SocketFault, takeFault } from './faults.ts'
import type { StoreFixture } from './fixture.ts'
import { listen } from './listen.ts'
import { createOpenid, type SignInAsk } from './openid.ts'
import {
  createState,
  type Fault,
  type FaultPoint,
  type IssuedTicket,
  issueTicket,
  type KnownOwnership,
  ownershipKey,
  type ReceivedRequest,
} from './state.ts'
import { appDetails, PICTURE_PATH, servePicture } from './storefront.ts'
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
