import { describe, expect, test } from 'bun:test'

import {
  categoryOf,
  EDITOR_CATEGORIES,
  PACKAGE_TYPES,
} from '../../../../src/domain/listings/editor-packages.ts'
import {
  compareVersions,
  coversVersion,
  type EngineRange,
  isDeclaredVersion,
  isWithin,
  parseVersion,
} from '../../../../src/domain/listings/engine-range.ts'
import { faultOfInstallPath, INSTALL_PATH_MAX } from '../../../../src/domain/listings/mod-settings.ts'
import { findLayoutFaults } from '../../../../src/domain/listings/package-layout.ts'

describe('editor categories', () => {
  test.each([
    ['plugin', [], 'Tools'],
    ['tool', ['3d'], '3D Tools'],
    ['dev_asset', ['shaders', '2d'], 'Shaders'],
    ['game_asset', ['textures', '3d'], 'Materials'],
    ['dev_asset', ['library'], 'Scripts'],
    ['game_asset', ['tileset'], '2D Tools'],
    ['game_asset', ['audio'], 'Misc'],
    ['dev_asset', ['demo', 'template'], 'Templates'],
    ['plugin', ['project', 'shaders'], 'Projects'],
    ['plugin', ['demo'], 'Demos'],
  ] as const)('%s with %j is in %s', (assetType, tags, name) => {
    expect(categoryOf({ assetType, tags })?.name).toBe(name)
  })

  test('games and mods have none', () => {
    for (const assetType of ['game', 'application', 'mod'] as const)
      expect(categoryOf({ assetType, tags: ['template'] })).toBeNull()
  })

  test('every package has one, and projects are decided first', () => {
    for (const assetType of PACKAGE_TYPES) expect(categoryOf({ assetType, tags: [] })).not.toBeNull()
    const kinds = EDITOR_CATEGORIES.map(({ kind }) => kind)
    expect(kinds.lastIndexOf('project')).toBeLessThan(kinds.indexOf('addon'))
    expect(new Set(EDITOR_CATEGORIES.map(({ id }) => id)).size).toBe(EDITOR_CATEGORIES.length)
  })
})

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

describe('a path inside the game folder', () => {
  test.each([
    ['mods'],
    ['mods/'],
    ['mods/my mod'],
    ['.'],
    ['./mods'],
    ['.config/mods'],
    ['Mods/Ünïcödé/模组'],
    ['a..b/c'],
    ['..a'],
    ['a/..b/c'],
    ['v1.2.3'],
    ['mods/~backup'],
    ['console'],
    ['nullify/auxiliary'],
    ['com10'],
    ['com'],
    ['lpt'],
    [' mods'],
    ['x'.repeat(INSTALL_PATH_MAX)],
  ])('%j is taken', (path) => {
    expect(faultOfInstallPath(path)).toBeNull()
  })

  test.each([
    ['', /empty/],
    ['mods//deep', /empty/],
    ['mods//', /empty/],
    ['/', /relative/],
    ['/etc/passwd', /relative/],
    ['//server/share', /relative/],
    ['~', /relative/],
    ['~/mods', /relative/],
    ['~root/mods', /relative/],
    ['..', /\.\./],
    ['../', /\.\./],
    ['../mods', /\.\./],
    ['mods/..', /\.\./],
    ['mods/../../x', /\.\./],
    ['./..', /\.\./],
    ['C:', /must not contain/],
    ['C:/mods', /must not contain/],
    ['c:mods', /must not contain/],
    ['mods\\deep', /must not contain/],
    ['..\\..\\x', /must not contain/],
    ['\\\\server\\share', /must not contain/],
    ['file.txt:stream', /must not contain/],
    ['mods/*', /must not contain/],
    ['what?', /must not contain/],
    ['a|b', /must not contain/],
    ['<a>', /must not contain/],
    ['say "hi"', /must not contain/],
    ['a\0b', /must not contain/],
    ['a\nb', /must not contain/],
    ['a\tb', /must not contain/],
    ['a\u007Fb', /must not contain/],
    ['a\u0085b', /must not contain/],
    ['mods.', /dot or a space/],
    ['mods ', /dot or a space/],
    ['...', /dot or a space/],
    ['.. ', /dot or a space/],
    ['mods./deep', /dot or a space/],
    ['mods /deep', /dot or a space/],
    ['mods ./deep', /dot or a space/],
    ['CON', /device CON/],
    ['con', /device/],
    ['mods/Con', /device/],
    ['nul.txt', /device/],
    ['NUL.tar.gz', /device/],
    ['nul .txt', /device/],
    ['aux/deep', /device/],
    ['PRN', /device/],
    ['COM1', /device/],
    ['com9.log', /device/],
    ['COM¹', /device/],
    ['LPT1', /device/],
    ['lpt³.x', /device/],
    ['CONIN$', /device/],
    ['conout$', /device/],
    ['x'.repeat(INSTALL_PATH_MAX + 1), /longer than 255/],
  ])('%j is refused', (path, reason) => {
    expect(faultOfInstallPath(path)).toMatch(reason)
  })
})

const zipOf = (...paths: string[]) => paths.map((path) => ({ path, isFolder: path.endsWith('/') }))

describe('the layout of a package', () => {
  test('one folder around everything and entries for all folders suit every editor', () => {
    expect(findLayoutFaults(zipOf('kit/', 'kit/addons/', 'kit/addons/kit/', 'kit/addons/kit/a.gd'))).toEqual(
      [],
    )
    expect(findLayoutFaults(zipOf('kit/', 'kit/project.godot'))).toEqual([])
  })

  test.each([
    ['a file at the root', ['plugin.cfg']],
    ['a file beside the folder', ['kit/', 'kit/a.gd', 'README.md']],
    ['two folders', ['kit/', 'kit/a.gd', 'docs/', 'docs/b.md']],
    ['the add-ons folder itself', ['addons/', 'addons/kit/', 'addons/kit/a.gd']],
  ])('%s has no wrapper', (_, paths) => {
    expect(findLayoutFaults(zipOf(...paths))).toEqual(['no_wrapper'])
  })

  test('a file in a folder without an entry is skipped, also further up', () => {
    expect(findLayoutFaults(zipOf('kit/a.gd'))).toEqual(['no_folder_entries'])
    expect(findLayoutFaults(zipOf('kit/', 'kit/addons/kit/', 'kit/addons/kit/a.gd'))).toEqual([
      'no_folder_entries',
    ])
    expect(findLayoutFaults(zipOf('addons/kit/a.gd'))).toEqual(['no_wrapper', 'no_folder_entries'])
  })

  test('nothing can be dropped from an empty zip', () => {
    expect(findLayoutFaults([])).toEqual([])
  })
})
