import { describe, expect, test } from 'bun:test'

import {
  compareVersions,
  coversVersion,
  type EngineRange,
  isDeclaredVersion,
  isWithin,
  parseVersion,
} from '../../../../src/domain/listings/engine-range.ts'

const range = (min_version: string, max_version: string): EngineRange => ({
  engine: 'godot',
  min_version,
  max_version,
  renderer: null,
  platform: null,
})

describe('a range', () => {
  test.each([
    ['4.1', '4.3', '4.2', true, 'covers what lies between'],
    ['4.1', '4.3', '4.1', true, 'covers its minimum'],
    ['4.1', '4.3', '4.1.0', true, 'reads a missing part as 0'],
    ['4.1', '4.3', '4.0.9', false, 'ends below its minimum'],
    ['4.1', '4.3', '4.3', true, 'covers its maximum'],
    ['4.1', '4.3', '4.3.99', true, 'of a minor version covers all its patches'],
    ['4.1', '4.3', '4.3.1.7', true, 'of a minor version covers what follows a patch'],
    ['4.1', '4.3', '4.4', false, 'ends above its maximum'],
    ['4.1', '4.3', '4.10', false, 'compares numbers, not letters'],
    ['4.9', '4.10', '4.10.2', true, 'compares numbers, not letters, in bounds too'],
    ['3', '4', '4.99.99', true, 'of a major version covers its minors'],
    ['3', '4', '5', false, 'of a major version ends before the next'],
    ['3', '4', '2.9', false, 'of a major version begins at its minimum'],
    ['4.2.1', '4.2.3', '4.2.3', true, 'of patches covers the last one'],
    ['4.2.1', '4.2.3', '4.2.4', false, 'of patches ends after the last one'],
    ['4.2.1', '4.2.3', '4.2', false, 'of patches does not cover the patch before'],
    ['4.2.5', '4.2', '4.2.9', true, 'may begin at a patch of its maximum'],
    ['4.2.5', '4.2', '4.2.4', false, 'that begins at a patch leaves out earlier ones'],
    ['4.2', '4.2', '4.2.0', true, 'of one version covers it'],
    ['4.3', '4.1', '4.2', false, 'turned around covers nothing'],
    ['4', '4', 'v4.2.1-stable', true, 'takes a leading v and a label'],
    ['2022.3', '2022.3', '2022.3.10f1', true, 'takes a label without a dash'],
    ['4', '4', 'latest', false, 'covers no version without numbers'],
    ['4', '4', '', false, 'covers no empty version'],
  ])('%s to %s, asked for %s: %p, it %s', (min, max, asked, covered) => {
    expect(coversVersion(range(min, max), asked)).toBe(covered)
  })

  test('whose minimum is over its maximum does not hold its own minimum', () => {
    const holds = (min: number[], max: number[]) => isWithin(min, min, max)
    expect([holds([4, 3], [4, 2]), holds([5], [4, 9]), holds([4, 2, 9], [4, 2]), holds([4], [4])]).toEqual([
      false,
      false,
      true,
      true,
    ])
  })
})

describe('parseVersion', () => {
  test.each<[string, number[] | null]>([
    ['4', [4]],
    ['4.2', [4, 2]],
    ['4.2.1', [4, 2, 1]],
    ['4.2.1.0', [4, 2, 1, 0]],
    ['v4.2', [4, 2]],
    ['V4.2', [4, 2]],
    [' 4.2 ', [4, 2]],
    ['007', [7]],
    ['4.2-rc1', [4, 2]],
    ['4.2+build.7', [4, 2]],
    ['4.2.1.stable', [4, 2, 1]],
    ['4.x', [4]],
    ['2022.3.10f1', [2022, 3, 10]],
    ['5.4b2', [5, 4]],
    ['', null],
    ['v', null],
    ['x4', null],
    ['4.', null],
    ['.4', null],
    ['4..2', null],
    ['-4', null],
    ['4,2', null],
    ['4 2', null],
    ['4.2\n', [4, 2]],
    ['4.2\nx', null],
    ['1.2.3.4.5', null],
    ['1234567', null],
    ['4.1234567', null],
    ['٤.٢', null],
    ['4.2/../..', null],
  ])('%j', (text, numbers) => {
    expect(parseVersion(text)).toEqual(numbers)
  })

  test('reads a hostile text as quickly as any other', () => {
    expect(parseVersion(`4${'.1'.repeat(50_000)}!`)).toBeNull()
    expect(parseVersion(`4-${'a.'.repeat(50_000)}!`)).toBeNull()
  })
})

test.each([
  ['4', true],
  ['4.2', true],
  ['4.2.1', true],
  ['4.2.1.3', true],
  ['4.2.1.3.5', false],
  ['v4.2', false],
  ['4.2-rc1', false],
  ['4.', false],
  ['4.2 ', false],
  ['4.2\n', false],
  ['1234567', false],
  ['', false],
])('as a declared bound %j is taken: %p', (text, taken) => {
  expect(isDeclaredVersion(text)).toBe(taken)
})

test.each([
  [[4, 2], [4, 2], 0],
  [[4], [4, 0, 0], 0],
  [[4, 2], [4, 10], -1],
  [[4, 0, 1], [4], 1],
  [[], [0], 0],
  [[10], [9, 9, 9], 1],
])('%p compared with %p is %p', (left, right, sign) => {
  expect(Math.sign(compareVersions(left, right))).toBe(sign)
  expect(Math.sign(compareVersions(right, left))).toBe(sign === 0 ? 0 : -sign)
})
