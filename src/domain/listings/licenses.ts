export const LICENSE_KINDS = ['cc0', 'cc-by', 'cc-by-sa', 'paid', 'source-available', 'proprietary'] as const
export type LicenseKind = (typeof LICENSE_KINDS)[number]

/** How a player got a licence. */
export const LICENSE_SOURCES = ['claimed', 'granted', 'bought', 'key'] as const
export type LicenseSource = (typeof LICENSE_SOURCES)[number]
