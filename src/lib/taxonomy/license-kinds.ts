export const LICENSE_KINDS = ['cc0', 'cc-by', 'cc-by-sa', 'paid', 'source-available', 'proprietary'] as const
export type LicenseKind = (typeof LICENSE_KINDS)[number]
