/** By which door a download was asked for. */
export const DOWNLOAD_SOURCES = ['signed_out', 'redirect', 'asset_library', 'library'] as const
export type DownloadSource = (typeof DOWNLOAD_SOURCES)[number]
