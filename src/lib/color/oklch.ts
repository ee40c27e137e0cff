/** Red, green and blue from 0 to 1, with the gamma of sRGB. */
type Rgb = readonly [number, number, number]

/** A colour in a space where equal steps look equal: lightness 0–1, chroma from 0, hue in radians. */
export interface Oklch {
  l: number
  c: number
  h: number
}

const HEX = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/

/** Reads `#rgb` and `#rrggbb` as the long form in lower case; null for anything else. */
export function parseHexColour(text: string): string | null {
  const hex = text.trim().toLowerCase()
  if (HEX.test(hex)) return hex
  return /^#[0-9a-f]{3}$/.test(hex) ? hex.replace(/[0-9a-f]/g, (digit) => digit + digit) : null
}

export function toOklch(hex: string): Oklch {
  const [r, g, b] = linearOf(parse(hex))
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const blue = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  return {
    l: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    c: Math.hypot(a, blue),
    h: Math.atan2(blue, a),
  }
}

/** The nearest colour that screens can show: the chroma is lowered, lightness and hue stay. */
export function toHex({ l, c, h }: Oklch): string {
  const lightness = Math.min(1, Math.max(0, l))
  let [low, high] = [0, c]
  if (!isShown(toRgb({ l: lightness, c, h }))) {
    for (let step = 0; step < 20; step += 1) {
      const middle = (low + high) / 2
      if (isShown(toRgb({ l: lightness, c: middle, h }))) low = middle
      else high = middle
    }
  } else low = c
  return `#${toRgb({ l: lightness, c: low, h })
    .map((part) =>
      Math.round(Math.min(1, Math.max(0, part)) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

/** The contrast ratio of WCAG 2, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [bright, dark] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a) as [number, number]
  return (bright + 0.05) / (dark + 0.05)
}

function luminanceOf(hex: string): number {
  const [r, g, b] = linearOf(parse(hex))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function parse(hex: string): Rgb {
  const [, r = '', g = '', b = ''] = HEX.exec(hex) ?? []
  return [r, g, b].map((part) => Number.parseInt(part, 16) / 255) as unknown as Rgb
}

function linearOf(rgb: Rgb): Rgb {
  return rgb.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  ) as unknown as Rgb
}

function toRgb({ l, c, h }: Oklch): Rgb {
  const a = c * Math.cos(h)
  const b = c * Math.sin(h)
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  const linear = [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
  return linear.map((part) =>
    part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055,
  ) as unknown as Rgb
}

/** Whether sRGB can show the colour, within half of one of a screen's 256 steps. */
function isShown(rgb: Rgb): boolean {
  return rgb.every((part) => part >= -0.002 && part <= 1.002)
}
