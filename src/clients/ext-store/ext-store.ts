/** The external store did not help: it gave no usable answer, or it does not accept the key. */
export class ExtStoreFailure extends Error {
  constructor(
    readonly reason: 'no_answer' | 'key_refused',
    /** For the log. Never holds an address, since addresses carry the key. */
    message: string,
  ) {
    super(message)
  }
}

export interface TicketAsk {
  appId: number
  /** Hex. */
  ticket: string
  /** The ticket key: tickets made for another identity are refused. */
  identity: string
}

export interface TicketHolder {
  extstoreId: string
  /** Differs from the player where the game is borrowed through family sharing. */
  ownerExtstoreId: string
  vacBanned: boolean
  publisherBanned: boolean
}

export interface Ownership {
  ownsApp: boolean
  permanent: boolean
  ownerExtstoreId: string
}

export interface StoreImage {
  url: string
}

/** A store page, read leniently into one shape. */
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
  /** null when free or not for sale; amounts in hundredths. */
  price: { currency: string; initial: number } | null
  categoryIds: number[]
  genres: { id: number; name: string }[]
  screenshots: StoreImage[]
  /** Addresses of trailers that a browser can play, best first. */
  trailers: string[]
  release: { comingSoon: boolean; date: string }
  contentDescriptorIds: number[]
  contentNotes: string | null
  /** Names of the users' tags, most used first. */
  tags: string[]
}

export interface ExtStore {
  /** null: the store refuses the ticket. */
  authenticateTicket(webApiKey: string, ask: TicketAsk): Promise<TicketHolder | null>
  checkOwnership(webApiKey: string, ask: { appId: number; extstoreId: string }): Promise<Ownership>
  /** Does this publisher key cover the app? */
  coversApp(webApiKey: string, appId: number): Promise<boolean>
  /** null: there is no page for this app. */
  readApp(appId: number): Promise<StoreApp | null>
  openid: {
    /** Where the browser is sent to sign in. */
    signInUrl(ask: { returnTo: string; realm: string }): string
    /** Asks the store whether this assertion is its own; the account it names, or null. */
    confirm(
      assertion: URLSearchParams,
      returnTo: string,
    ): Promise<{ extstoreId: string; nonce: string } | null>
  }
  /** Is this one of the store's configured addresses, which may lie inside? */
  isOwnOrigin(url: URL): boolean
}
