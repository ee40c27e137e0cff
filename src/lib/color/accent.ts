import type { Picture } from '../bytes/png.ts'
import { type Oklch, toHex, toOklch } from './oklch.ts'

/** Each spans ten degrees of the circle of hues. */
const BINS = 36
/** The sum of chroma over all pixels, on average: below it a picture counts as grey. */
const LEAST_CHROMA = 0.012
/** Of too little colour, and too dark or bright to tell which. */
const isColourful = ({ l, c }: Oklch) => c > 0.02 && l > 0.15 && l < 0.97
const CHROMA = { min: 0.06, max: 0.17 }
const LIGHTNESS = { min: 0.42, max: 0.78 }

/** The colour that carries a picture, as #rrggbb; null for a grey one. The picture should be small. */
export function findAccent({ pixels, channels }: Picture): string | null {
  const bins = Array.from({ length: BINS }, () => ({ weight: 0, l: 0, a: 0, b: 0 }))
  for (let at = 0; at + channels <= pixels.length; at += channels) {
    const colour = toOklch(`#${Buffer.from(pixels.subarray(at, at + 3)).toString('hex')}`)
    const bin = bins[Math.floor(((colour.h / (2 * Math.PI) + 1) % 1) * BINS)]
    if (!bin || !isColourful(colour)) continue
    bin.weight += colour.c
    bin.l += colour.c * colour.l
    bin.a += colour.c * colour.c * Math.cos(colour.h)
    bin.b += colour.c * colour.c * Math.sin(colour.h)
  }
  const around = bins.map((bin, index) => [bins.at(index - 1) ?? bin, bin, bins[(index + 1) % BINS] ?? bin])
  const best = around.toSorted((a, b) => weigh(b) - weigh(a))[0] ?? []
  const weight = weigh(best)
  if (weight < (LEAST_CHROMA * pixels.length) / channels) return null
  const sum = (part: 'l' | 'a' | 'b') => best.reduce((total, bin) => total + bin[part], 0) / weight
  return toHex({
    l: clamp(sum('l'), LIGHTNESS),
    c: clamp(Math.hypot(sum('a'), sum('b')), CHROMA),
    h: Math.atan2(sum('b'), sum('a')),
  })
}

function weigh(bins: readonly { weight: number }[]): number {
  return bins.reduce((total, { weight }) => total + weight, 0)
}

function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, value))
}
