export const IMAGE_KINDS = ['cover', 'thumbnail', 'gallery'] as const
export type ImageKind = (typeof IMAGE_KINDS)[number]
