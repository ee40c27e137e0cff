import { describe, expect, test } from 'bun:test'

import {
  DEFAULT_ACCENT,
  derivePalette,
  measurePalette,
  THEME_NAMES,
  writePalette,
} from '../../../src/domain/palette.ts'
import { contrastOf, parseHexColour, toHex, toOklch } from '../../../src/lib/color/oklch.ts'

describe('colours', () => {
  test('come back from the perceptual space as they were', () => {
    for (const hex of ['#000000', '#ffffff', '#ff0000', '#00ff00', '#0000ff', '#4f3bd6', '#808080'])
      expect(toHex(toOklch(hex))).toBe(hex)
  })

  test('are read as #rgb and #rrggbb only', () => {
    expect(['#FFF', ' #a1B2c3 ', 'red', '#12345', '#1234567', 'url(x)'].map(parseHexColour)).toEqual([
      '#ffffff',
      '#a1b2c3',
      null,
      null,
      null,
      null,
    ])
  })

  test('have the contrast of WCAG', () => {
    expect(contrastOf('#ffffff', '#000000')).toBeCloseTo(21, 5)
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })
})

test('the default palette is the one of the style sheet', async () => {
  const sheet = await Bun.file(`${import.meta.dir}/../../../src/site/kit/styles/tokens.css`).text()
  for (const [line] of writePalette(derivePalette(DEFAULT_ACCENT)).matchAll(/--[\w-]+: light-dark\(.*\);/g))
    expect(sheet).toContain(line)
})

test('an accent that can be read stays as it is, and the neutral colours take its hue', () => {
  const { light } = derivePalette('#0f766e')
  expect(light.accent).toBe('#0f766e')
  expect(toOklch(light.quiet).h).toBeCloseTo(toOklch('#0f766e').h, 0)
})

test('every theme of the default passes', () => {
  for (const theme of THEME_NAMES)
    for (const { text, on, ratio, least } of measurePalette(derivePalette(DEFAULT_ACCENT)[theme]))
      expect([text, on, ratio >= least]).toEqual([text, on, true])
})
