export const SCAN_STATES = ['clean', 'scanning', 'infected', 'error'] as const
export type ScanState = (typeof SCAN_STATES)[number]

/** How a file was uploaded. */
export const UPLOAD_SOURCES = ['deploy_key', 'website'] as const
export type UploadSource = (typeof UPLOAD_SOURCES)[number]

/** The route through which a download was requested. */
export const DOWNLOAD_SOURCES = ['signed_out', 'redirect', 'asset_library', 'library'] as const
export type DownloadSource = (typeof DOWNLOAD_SOURCES)[number]
