import { describe, expect, test } from 'bun:test'

import { derivePalette, measurePalette, THEME_NAMES } from '../../../../src/domain/palette.ts'
import { findAccent } from '../../../../src/features/listings/images/process.ts'
import { toOklch } from '../../../../src/lib/color/oklch.ts'

type Rgb = readonly [number, number, number]

/** A picture of stripes, each of as many pixels as it says. */
function draw(...stripes: readonly (readonly [colour: Rgb, pixels: number])[]) {
  const pixels = Uint8Array.from(
    stripes.flatMap(([colour, count]) => Array.from({ length: count }, () => colour).flat()),
  )
  return { width: pixels.length / 3, height: 1, channels: 3, pixels } as const
}

const hueOf = (hex: string | null) => (toOklch(hex ?? '#000000').h * 180) / Math.PI

describe('the accent of a picture', () => {
  test('is the colour of most of what is colourful, not of the grey around it', () => {
    const found = findAccent(draw([[128, 128, 128], 600], [[30, 90, 200], 300], [[200, 60, 40], 60]))
    expect(Math.abs(hueOf(found) - hueOf('#1e5ac8'))).toBeLessThan(8)
  })

  test('counts neighbouring hues together, also where the circle closes', () => {
    const reds = draw([[210, 40, 60], 100], [[210, 40, 90], 100], [[40, 160, 60], 110])
    expect(Math.abs(hueOf(findAccent(reds)))).toBeLessThan(30)
  })

  test('does not exist in a grey picture, nor in black or white', () => {
    for (const shade of [0, 90, 128, 255] as const) {
      expect(findAccent(draw([[shade, shade, shade], 100]))).toBeNull()
    }
    expect(findAccent(draw([[128, 128, 128], 990], [[250, 20, 20], 10]))).toBeNull()
  })

  test('is readable in both themes, whatever the picture is', () => {
    for (const colour of [
      [255, 255, 0],
      [4, 4, 90],
      [255, 190, 220],
      [0, 255, 140],
    ] as const) {
      const accent = findAccent(draw([colour, 100]))
      expect(accent).not.toBeNull()
      const palettes = derivePalette(accent ?? '')
      for (const theme of THEME_NAMES) {
        expect(measurePalette(palettes[theme]).filter(({ ratio, least }) => ratio < least)).toEqual([])
      }
    }
  })
})
