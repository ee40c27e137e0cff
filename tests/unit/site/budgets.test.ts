import { expect, test } from 'bun:test'

import { STYLES } from '../../../src/site/kit/assets.ts'
import { ISLANDS } from '../../../src/site/kit/islands.ts'

const KB = 1024
const sizeOf = (text: string) => Bun.gzipSync(Buffer.from(text)).length

test.each(Object.entries(STYLES))(
  'the style sheet of %s has at most 14 KB, compressed',
  (_name, { text }) => {
    expect(sizeOf(text)).toBeLessThanOrEqual(14 * KB)
    // Comments and indentation are left out; what is in quotes stays as it was.
    expect(text).not.toMatch(/\/\*|\n|  /)
    expect(text).toContain("'Segoe UI'")
  },
)

test('every page of the store has at most 12 KB of script, of the studio 20 KB', () => {
  const { frame, searchBox, ...others } = ISLANDS
  const always = sizeOf(frame) + sizeOf(searchBox)
  const sizes = Object.entries(others).map(([name, text]) => ({ name, size: always + sizeOf(text) }))
  expect(sizes.filter(({ size }) => size > 12 * KB)).toEqual([])
  const studio = ['studio', 'editor', 'picker', 'live'] as const
  expect(studio.reduce((sum, name) => sum + sizeOf(others[name]), always)).toBeLessThanOrEqual(20 * KB)
})
