import { describe, expect, test } from 'bun:test'

import { compareVersionTexts } from '../../../../src/lib/text/version-order.ts'

/** Each list from oldest to newest. */
const ASCENDING = [
  ['0.9.0', '1.0.0', '1.0.1', '1.1.0', '1.10.0', '2.0.0', '10.0.0'],
  ['v1.0.0', '1.0.1', 'V1.0.2', 'v2'],
  ['1', '1.0.1', '1.1', '2'],
  ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11'],
  ['1.0.0-rc.1', '1.0.0', '1.0.1-0', '1.0.1'],
  ['1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0-a', '1.0.0-a.0'],
  ['1.0-beta', '1.0', '1.1-alpha'],
  ['20260131', '20260201', '20260201235959'],
  ['9007199254740992', '9007199254740993', '9999999999999999999'],
]

const EQUAL = [
  ['1.0.0', '1.0.0'],
  ['1', '1.0.0'],
  ['v1.2', '1.2.0'],
  ['1.0.0+linux', '1.0.0+windows.5'],
  ['1.0.0-rc.1+7', '1.0.0-rc.1'],
  ['01.02.03', '1.2.3'],
  [' 1.0.0 ', '1.0.0'],
]

const UNPARSABLE = [
  '',
  'v',
  'latest',
  '1.2.3.4',
  '1.0b2',
  '1.',
  '.1',
  '1.0.0-',
  '1.0.0+',
  '1.0.0-a..b',
  '1 0',
  'vv1',
  '1'.repeat(20),
]

describe('the order of versions', () => {
  for (const versions of ASCENDING) {
    test(versions.join(' < '), () => {
      const pairs = versions.flatMap((older, index) =>
        versions.slice(index + 1).map((newer) => [older, newer] as const),
      )
      for (const [older, newer] of pairs) {
        expect([older, newer, Math.sign(compareVersionTexts(older, newer))]).toEqual([older, newer, -1])
        expect([newer, older, Math.sign(compareVersionTexts(newer, older))]).toEqual([newer, older, 1])
      }
    })
  }

  test.each(EQUAL)('%j and %j are the same', (left, right) => {
    expect(compareVersionTexts(left, right)).toBe(0)
  })

  test.each(UNPARSABLE)('%j is no semantic version, so it is older than any', (version) => {
    expect(compareVersionTexts(version, '0.0.1-a')).toBe(-1)
    expect(compareVersionTexts('0.0.1-a', version)).toBe(1)
    expect(compareVersionTexts(version, 'nightly')).toBe(0)
  })
})
