import { describe, expect, test } from 'bun:test'

import type { OperatingSystem } from '../../../../src/domain/builds/platforms.ts'
import type { EngineRange } from '../../../../src/domain/listings/engine-range.ts'
import type { CompatStatus } from '../../../../src/features/builds/comparison/model.ts'
import { checkBuild, worstOf } from '../../../../src/features/builds/comparison/service.ts'

function range(
  min_version: string,
  max_version: string,
  platform: OperatingSystem | null = null,
  engine = 'godot',
): EngineRange {
  return { engine, min_version, max_version, renderer: null, platform }
}

describe('a build of the parent', () => {
  test.each<[string, EngineRange[], string | null, CompatStatus]>([
    ['inside one range', [range('4.1', '4.3')], '4.2', 'compatible'],
    ['inside the second range', [range('3.0', '3.6'), range('4.1', '4.3')], '4.2', 'compatible'],
    ['a patch of the maximum', [range('4.1', '4.3')], '4.3.2', 'compatible'],
    ['above every range', [range('4.1', '4.3')], '4.4', 'incompatible'],
    ['below every range', [range('4.1', '4.3')], '4.0.4', 'incompatible'],
    ['between two ranges', [range('3.0', '3.6'), range('4.1', '4.3')], '4.0', 'incompatible'],
    ['without an engine version', [range('4.1', '4.3')], null, 'unknown'],
    ['with an engine version that is none', [range('4.1', '4.3')], 'our own', 'unknown'],
    ['without any range', [], '4.2', 'unknown'],
    ['with ranges of another engine', [range('4.1', '4.3', null, 'unity')], '4.2', 'unknown'],
    ['with ranges of another platform', [range('4.1', '4.3', 'windows')], '4.2', 'unknown'],
    ['with a range of its platform', [range('4.1', '4.3', 'linux')], '4.2', 'compatible'],
    [
      'outside the range of its platform',
      [range('4.1', '4.1', 'linux'), range('4.1', '4.3', 'windows')],
      '4.2',
      'incompatible',
    ],
    [
      'inside the range of all platforms',
      [range('4.1', '4.1', 'linux'), range('4.1', '4.3')],
      '4.2',
      'compatible',
    ],
  ])('%s', (_, ranges, engineVersion, status) => {
    expect(checkBuild(ranges, ['godot', 'blender'], { os: 'linux', engineVersion })).toBe(status)
  })

  test('of a game that names no engine is unknown', () => {
    expect(checkBuild([range('4.1', '4.3')], [], { os: 'linux', engineVersion: '4.2' })).toBe('unknown')
  })
})

test.each<[CompatStatus[], CompatStatus]>([
  [[], 'unknown'],
  [['compatible'], 'compatible'],
  [['compatible', 'unknown'], 'unknown'],
  [['unknown', 'incompatible', 'compatible'], 'incompatible'],
])('the worst of %p is %s', (statuses, worst) => {
  expect(worstOf(statuses)).toBe(worst)
})
