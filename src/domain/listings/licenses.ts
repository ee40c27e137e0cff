export const LICENSE_KINDS = ['cc0', 'cc-by', 'cc-by-sa', 'paid', 'source-available', 'proprietary'] as const
export type LicenseKind = (typeof LICENSE_KINDS)[number]

/** How a player got a licence. */
export const LICENSE_SOURCES = ['claimed', 'granted', 'bought', 'key'] as const
export type LicenseSource = (typeof LICENSE_SOURCES)[number]
/** Licences that somebody paid for, or that were handed out as a key: their files stay when the page is hidden. */
export const PAID_SOURCES = ['bought', 'key'] as const satisfies readonly LicenseSource[]
