/** Images are stored as WebP, which older editors cannot read; these are made from them when first requested. */
export const IMAGE_VARIANTS = ['icon.png', 'small.jpg', 'large.jpg'] as const
export type ImageVariant = (typeof IMAGE_VARIANTS)[number]

const SOURCE = /^images\/([0-9a-f]{64})\.webp$/

/** The key of a variant. The prefix differs from that of images: no row refers to a variant. */
export function variantKey(sha256: string, variant: ImageVariant): string {
  return `variants/${sha256}-${variant}`
}

/** The keys that are deleted together with an image. */
export function variantKeysOf(imageKey: string): string[] {
  const sha256 = SOURCE.exec(imageKey)?.[1]
  return sha256 === undefined ? [] : IMAGE_VARIANTS.map((variant) => variantKey(sha256, variant))
}
