/**
 * The external store is a store with Steam's Web API, tickets and OpenID sign-in; `EXTSTORE_*` set its addresses. This
 * error means that it sent no usable response, or rejected the key.
 */
export class ExtStoreFailure extends Error {
  constructor(
    readonly reason: 'no_answer' | 'key_refused',
    /** For the log. Never contains an address, because addresses include the key. */
    message: string,
  ) {
    super(message)
  }
}

export interface TicketAsk {
  appId: number
  /** Hex. */
  ticket: string
  /** The ticket key: tickets issued for another identity are refused. */
  identity: string
}

export interface TicketHolder {
  extstoreId: string
  /** Differs from the player when the game is borrowed through family sharing. */
  ownerExtstoreId: string
  vacBanned: boolean
  publisherBanned: boolean
}

export interface Ownership {
  ownsApp: boolean
  permanent: boolean
  ownerExtstoreId: string
}

interface StoreImage {
  url: string
}

/** A store page, parsed leniently. */
export type StoreSystem = 'windows' | 'mac' | 'linux'

export interface StoreApp {
  appId: number
  /** `game`, `dlc`, `demo`, … */
  type: string
  name: string
  isFree: boolean
  requiredAge: number
  /** Plain text. */
  shortDescription: string
  /** HTML. */
  detailedDescription: string
  aboutTheGame: string
  website: string | null
  developers: string[]
  publishers: string[]
  /** Null when free or not for sale; amounts are in hundredths. */
  price: { currency: string; initial: number } | null
  categoryIds: number[]
  /** The same by their English names. */
  categoryNames: string[]
  /** HTML: names with commas between them, a star behind those with full audio. */
  supportedLanguages: string
  /** HTML; empty where nothing is stated. */
  requirements: Record<StoreSystem, { minimum: string; recommended: string }>
  systems: StoreSystem[]
  genres: { id: number; name: string }[]
  screenshots: StoreImage[]
  /** URLs of trailers that a browser can play, best first. */
  trailers: string[]
  release: { comingSoon: boolean; date: string }
  contentDescriptorIds: number[]
  contentNotes: string | null
  /** Names of the user-defined tags, most used first. */
  tags: string[]
}

export interface ExtStore {
  /** Null if the store refuses the ticket. */
  authenticateTicket(webApiKey: string, ask: TicketAsk): Promise<TicketHolder | null>
  checkOwnership(webApiKey: string, ask: { appId: number; extstoreId: string }): Promise<Ownership>
  /** Whether this publisher key covers the app. */
  coversApp(webApiKey: string, appId: number): Promise<boolean>
  /** Null if the app has no page. */
  readApp(appId: number): Promise<StoreApp | null>
  openid: {
    /** The URL to which the browser is redirected to sign in. */
    signInUrl(ask: { returnTo: string; realm: string }): string
    /** Asks the store whether it issued this assertion. Returns the account it names, or null. */
    confirm(
      assertion: URLSearchParams,
      returnTo: string,
    ): Promise<{ extstoreId: string; nonce: string } | null>
  }
  /** Whether the URL is on one of the store's configured origins, which may be in a private network. */
  isOwnOrigin(url: URL): boolean
}
