import { describe, expect, test } from 'bun:test'

import { JsonBeyondLimits, measureJson, parseJson } from '../../../src/lib/json.ts'
import { nested, SHAPES } from '../../helpers/hostile/hostile-json.ts'

describe('parsing JSON that is not our own', () => {
  test.each(SHAPES)('%s may have 64 levels and no more', (shape) => {
    expect(parseJson(nested(64, shape))).toEqual(JSON.parse(nested(64, shape)))
    expect(() => parseJson(nested(65, shape))).toThrow(JsonBeyondLimits)
    expect(() => parseJson(nested(500_000, shape))).toThrow(JsonBeyondLimits)
  })

  test('levels are counted beside each other once', () => {
    expect(measureJson('[[[]],[[]],{"a":[]}]').depth).toBe(3)
    expect(measureJson('1').depth).toBe(0)
    expect(measureJson('').depth).toBe(0)
  })

  test.each([
    String.raw`["[[[["]`,
    String.raw`["\"[[[["]`,
    String.raw`["\\","[[","\\\"[["]`,
    String.raw`{"[[\"":"]]\\"}`,
  ])('brackets in texts are no levels: %s', (text) => {
    expect(measureJson(text).depth).toBe(1)
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  test('an escaped backslash at the end of a text does not hide what follows', () => {
    expect(measureJson(String.raw`["\\",[[["x"]]]]`).depth).toBe(4)
  })

  test('values are counted', () => {
    expect(() => parseJson('[1,2,3]', { partsMax: 3 })).toThrow(JsonBeyondLimits)
    expect(parseJson('[1,2,3]', { partsMax: 4 })).toEqual([1, 2, 3])
    expect(measureJson('{"a":[1,2],"b":","}').parts).toBeGreaterThanOrEqual(5)
  })

  test.each(['', '[', '"', '"\\', '[[]', ']]]]', '{"a"', 'nul'])(
    '%p is left to the parser to refuse',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError)
    },
  )

  test.each(['\\', '"', '\\"', '[', '"[', '{"a":', '\\\\"'])('a megabyte of %p takes one pass', (part) => {
    const begin = performance.now()
    measureJson(`"${part.repeat(1e6 / part.length)}`)
    // One pass takes some milliseconds; looking back again and again would take minutes.
    expect(performance.now() - begin).toBeLessThan(3000)
  })
})
