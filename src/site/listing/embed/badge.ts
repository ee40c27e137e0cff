import { derivePalette } from '../../../domain/palette.ts'
import type { Storefront } from '../../../domain/storefront.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import { escapeXml } from '../../../lib/text/xml.ts'
import { priceText } from '../../kit/labels.ts'

const HEIGHT = 48
const PADDING = 14
/** Nothing measures text here; the widest letters of system fonts at these sizes fit. */
const NAME = { size: 15, letter: 9.8, most: 32 }
const LINE = { size: 11, letter: 6.8, most: 48 }
const PRICE = { size: 14, letter: 8.6 }

/** A badge for other websites: the name, the store and the price, in the colours of the store. */
export function drawBadge({ settings }: Storefront, { name, price, accent }: Listing): string {
  const { light } = derivePalette(settings.page_accent ? (accent ?? settings.accent) : settings.accent)
  const title = shorten(name, NAME.most)
  const line = shorten(`on ${settings.name}`, LINE.most)
  const amount = priceText(price)
  const left = Math.ceil(Math.max(title.length * NAME.letter, line.length * LINE.letter)) + 2 * PADDING
  const right = Math.ceil(amount.length * PRICE.letter) + 2 * PADDING
  const width = left + right
  const font = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img">
<title>${escapeXml(`${name} on ${settings.name}: ${amount}`)}</title>
<clipPath id="c"><rect width="${width}" height="${HEIGHT}" rx="8"/></clipPath>
<g clip-path="url(#c)" font-family="${font}">
<rect width="${left}" height="${HEIGHT}" fill="${light.ink}"/>
<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${light.accent}"/>
<text x="${PADDING}" y="21" font-size="${NAME.size}" font-weight="700" fill="${light.page}">${escapeXml(title)}</text>
<text x="${PADDING}" y="38" font-size="${LINE.size}" fill="${light.page}">${escapeXml(line)}</text>
<text x="${left + right / 2}" y="29" font-size="${PRICE.size}" font-weight="700" text-anchor="middle" fill="${light['accent-ink']}">${escapeXml(amount)}</text>
</g>
</svg>
`
}

function shorten(text: string, most: number): string {
  const characters = Array.from(text)
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
