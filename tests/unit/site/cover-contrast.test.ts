import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { DEFAULT_ACCENT, derivePalette, THEME_NAMES } from '../../../src/domain/palette.ts'
import { contrastOf } from '../../../src/lib/color/oklch.ts'

const SITE = join(import.meta.dir, '../../../src/site')
const TOKENS = await Bun.file(join(SITE, 'kit/styles/tokens.css')).text()
const STORE = await Bun.file(join(SITE, 'listing/store.css')).text()
const AA = 4.5
/** The worst pictures that can lie below: the text has no other colour behind it than this and the shade. */
const PICTURES = ['#000000', '#ffffff', '#7f7f7f', '#ff0000', '#00ff00', '#0000ff', '#ffff00']
const ACCENTS = [DEFAULT_ACCENT, '#d43d3d', '#8a6a2f', '#0f7a4a', '#2f6fd0', '#c7c7c7', '#ffe100']

const channelsOf = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))

/** The upper colour with this opacity on the lower one. */
function mix(upper: readonly number[], share: number, lower: string): string {
  const mixed = channelsOf(lower).map((value, at) =>
    Math.round((upper[at] ?? 0) * share + value * (1 - share)),
  )
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

test('the header can be read on every cover', () => {
  const [, red, green, blue, alpha] = /--veil: rgb\((\d+) (\d+) (\d+) \/ ([\d.]+)\)/.exec(TOKENS) ?? []
  const veil = [red, green, blue].map(Number)
  for (const picture of PICTURES) {
    expect([picture, contrastOf('#ffffff', mix(veil, Number(alpha), picture)) >= AA]).toEqual([picture, true])
  }
})

test('the name and what stands below it can be read on every cover, in every accent and theme', () => {
  const [, percent] =
    /border-image: linear-gradient\(\s*transparent,\s*color-mix\(in srgb, var\(--page\) (\d+)%/.exec(STORE) ??
    []
  expect(Number(percent)).toBeGreaterThan(50)
  for (const accent of ACCENTS) {
    const palettes = derivePalette(accent)
    for (const theme of THEME_NAMES) {
      const { page, ink } = palettes[theme]
      for (const picture of PICTURES) {
        const behind = mix(channelsOf(page), Number(percent) / 100, picture)
        expect([accent, theme, picture, contrastOf(ink, behind) >= AA]).toEqual([
          accent,
          theme,
          picture,
          true,
        ])
      }
    }
  }
})
