import { describe, expect, test } from 'bun:test'

import {
  categoryOf,
  EDITOR_CATEGORIES,
  PACKAGE_TYPES,
} from '../../../../src/domain/listings/editor-packages.ts'

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
