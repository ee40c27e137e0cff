/** Where the external store is reached. */
export interface ExternalStoreUrls {
  apiUrl: string
  partnerUrl: string
  storeUrl: string
  openidUrl: string
}

export const STEAM: Readonly<ExternalStoreUrls> = {
  apiUrl: 'https://api.steampowered.com',
  partnerUrl: 'https://partner.steam-api.com',
  storeUrl: 'https://store.steampowered.com',
  openidUrl: 'https://steamcommunity.com/openid/login',
}

/** How pages call the external store, also in the middle of a sentence. */
export function nameExternalStore(urls: ExternalStoreUrls): string {
  const isSteam = (Object.keys(STEAM) as (keyof ExternalStoreUrls)[]).every(
    (part) => urls[part] === STEAM[part],
  )
  return isSteam ? 'Steam' : 'the external store'
}

const DIGITS = /^[1-9]\d{0,19}$/
const LARGEST = 2n ** 64n - 1n

/** Account ids of the external store are 64-bit, so they are strings: a JavaScript number cannot hold them. */
export function isExtstoreId(text: string): boolean {
  return DIGITS.test(text) && BigInt(text) <= LARGEST
}
