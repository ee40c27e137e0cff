import { escapeXml } from '../../../lib/text/xml.ts'

/** The size of an embed in CSS pixels. */
export const EMBED_SIZE = { width: 480, height: 180 } as const

export function embedUrl(baseUrl: string, vanityName: string): string {
  return `${baseUrl}/embed/${vanityName}`
}

export function badgeUrl(baseUrl: string, vanityName: string): string {
  return `${embedUrl(baseUrl, vanityName)}/badge.svg`
}

interface Embedded {
  baseUrl: string
  vanityName: string
  name: string
  storeName: string
}

interface EmbedSize {
  width: number
  height: number
}

/** The line that puts a listing into another page. */
export function writeEmbedCode(
  { baseUrl, vanityName, name, storeName }: Embedded,
  { width, height }: EmbedSize = EMBED_SIZE,
): string {
  const title = escapeXml(`${name} on ${storeName}`)
  const src = embedUrl(baseUrl, vanityName)
  return `<iframe src="${src}" title="${title}" width="${width}" height="${height}" loading="lazy" style="border:0"></iframe>`
}

/** The line that puts a badge with a link into another page. */
export function writeBadgeCode({ baseUrl, vanityName, name, storeName }: Embedded): string {
  const alt = escapeXml(`${name} on ${storeName}`)
  return `<a href="${baseUrl}/games/${vanityName}"><img src="${badgeUrl(baseUrl, vanityName)}" alt="${alt}" height="48"></a>`
}
