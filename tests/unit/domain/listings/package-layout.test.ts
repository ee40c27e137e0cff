import { describe, expect, test } from 'bun:test'

import { findLayoutFaults } from '../../../../src/domain/listings/package-layout.ts'

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
