/** How a file came to us. */
export const UPLOAD_SOURCES = ['deploy_key', 'website'] as const
export type UploadSource = (typeof UPLOAD_SOURCES)[number]
