/** How a player came to a licence. */
export const LICENSE_SOURCES = ['claimed', 'granted'] as const
export type LicenseSource = (typeof LICENSE_SOURCES)[number]
