import { describe, expect, test } from 'bun:test'

import { AUTHORSHIP_LABELS } from '../../../../src/domain/listings/fields.ts'
import { ASSET_TYPES, childKindOf, PARENT_RULES } from '../../../../src/domain/listings/listing.ts'
import { isSlug, normalizeSlug, SLUG_MAX } from '../../../../src/domain/listings/slugs.ts'

describe('slugs', () => {
  test.each([
    ['cozy', 'cozy'],
    ['Cozy', 'cozy'],
    ['LOCAL CO-OP', 'local-co-op'],
    ['pixel_art', 'pixel-art'],
    ['turn  based', 'turn-based'],
    ['turn _ based', 'turn-based'],
    ['  space  ', 'space'],
    ['tab\there', 'tab-here'],
    ['no\u00A0break', 'no-break'],
    ['2d', '2d'],
  ])('%j is kept as %j', (text, slug) => {
    expect(normalizeSlug(text)).toBe(slug)
    expect(isSlug(slug)).toBe(true)
  })

  test('normalising again changes nothing', () => {
    for (const text of ['Local Co-Op', 'pixel_art', 'a  _b', 'ÄÖ ü']) {
      expect(normalizeSlug(normalizeSlug(text))).toBe(normalizeSlug(text))
    }
  })

  test.each([
    [''],
    [' '],
    ['Cozy'],
    ['two words'],
    ['under_score'],
    ['-cozy'],
    ['cozy-'],
    ['co--op'],
    ['c++'],
    ['café'],
    ['模组'],
    ['a/b'],
    ['a.b'],
    ['a\n'],
    ['\u212A'],
    ['x'.repeat(SLUG_MAX + 1)],
  ])('%j is no slug', (text) => {
    expect(isSlug(text)).toBe(false)
  })

  test('have up to 32 characters', () => {
    expect(isSlug('x'.repeat(32))).toBe(true)
  })
})

describe('types', () => {
  test('a parent: none for game, game_asset, dev_asset; optional for application; required for tool, mod, plugin', () => {
    expect(Object.groupBy(ASSET_TYPES, (type) => PARENT_RULES[type])).toEqual({
      none: ['game', 'game_asset', 'dev_asset'],
      optional: ['application'],
      required: ['tool', 'mod', 'plugin'],
    })
  })

  test('a plugin counts among mods', () => {
    expect((['mod', 'plugin', 'tool', 'application'] as const).map(childKindOf)).toEqual([
      'mod',
      'mod',
      'tool',
      'tool',
    ])
  })
})

test('authorship labels', () => {
  expect(AUTHORSHIP_LABELS).toEqual({
    human: 'made by people',
    human_agent: 'people with AI agents',
    agent_heavy: 'mostly AI agents',
  })
})
