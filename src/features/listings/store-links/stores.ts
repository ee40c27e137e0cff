interface Store {
  platform: string
  label: string
  /** `*.host` stands for every subdomain. */
  hosts: readonly string[]
}

/** The external store of sign-in and import. */
export const EXTERNAL_STORE: Store = {
  platform: 'store_01',
  label: 'Steam',
  hosts: ['store.steampowered.com'],
}

/** Every store that a page can link to. */
export const STORES: readonly Store[] = [
  EXTERNAL_STORE,
  { platform: 'store_02', label: 'itch.io', hosts: ['itch.io', '*.itch.io'] },
  { platform: 'store_03', label: 'GOG', hosts: ['www.gog.com', 'gog.com'] },
  { platform: 'store_04', label: 'Epic Games Store', hosts: ['store.epicgames.com'] },
  { platform: 'store_05', label: 'Humble Store', hosts: ['www.humblebundle.com'] },
  {
    platform: 'store_06',
    label: 'Microsoft Store',
    hosts: ['www.microsoft.com', 'apps.microsoft.com', 'www.xbox.com'],
  },
  { platform: 'store_07', label: 'PlayStation Store', hosts: ['store.playstation.com'] },
  {
    platform: 'store_08',
    label: 'Nintendo eShop',
    hosts: [
      'www.nintendo.com',
      'www.nintendo.at',
      'www.nintendo.be',
      'www.nintendo.ch',
      'www.nintendo.co.uk',
      'www.nintendo.co.za',
      'www.nintendo.com.au',
      'www.nintendo.de',
      'www.nintendo.es',
      'www.nintendo.fr',
      'www.nintendo.it',
      'www.nintendo.nl',
      'www.nintendo.pt',
      'store-jp.nintendo.com',
    ],
  },
  { platform: 'store_09', label: 'App Store', hosts: ['apps.apple.com'] },
  { platform: 'store_10', label: 'Google Play', hosts: ['play.google.com'] },
  { platform: 'store_11', label: 'Game Jolt', hosts: ['gamejolt.com'] },
]

const BY_PLATFORM = new Map(STORES.map((store) => [store.platform, store]))

export function findStore(platform: string): Store | undefined {
  return BY_PLATFORM.get(platform)
}

/**
 * Checks the link as it is written, without a parser's corrections: a port, a trailing dot or a look-alike character
 * makes it a different host.
 */
export function isOnStore(link: string, store: Store): boolean {
  const host = /^https:\/\/([^/?#]+)/i.exec(link)?.[1]?.toLowerCase() ?? ''
  return store.hosts.some((allowed) =>
    allowed.startsWith('*.') ? isSubdomain(host, allowed.slice(2)) : host === allowed,
  )
}

function isSubdomain(host: string, parent: string): boolean {
  return host.endsWith(`.${parent}`) && /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host)
}

/** The page of an app at the external store. */
export function storePageOf(appId: number): string {
  return `https://${EXTERNAL_STORE.hosts[0]}/app/${appId}/`
}

/** The app whose page the link points to; null for any other link. */
export function appIdOfLink(link: string): number | null {
  const digits = isOnStore(link, EXTERNAL_STORE)
    ? /^https:\/\/[^/]+\/app\/(\d{1,10})(?:[/?#]|$)/i.exec(link)
    : null
  return digits ? Number(digits[1]) : null
}
