export const SCAN_STATES = ['clean', 'scanning', 'infected', 'error'] as const
export type ScanState = (typeof SCAN_STATES)[number]

/** How a file came to us. */
export const UPLOAD_SOURCES = ['deploy_key', 'website'] as const
export type UploadSource = (typeof UPLOAD_SOURCES)[number]

/** By which door a download was asked for. */
export const DOWNLOAD_SOURCES = ['signed_out', 'redirect', 'asset_library', 'library'] as const
export type DownloadSource = (typeof DOWNLOAD_SOURCES)[number]
