import { describe, expect, test } from 'bun:test'

import { cleanPath, findUnfitNames, requireFitNames } from '../../../../src/cli/install/paths.ts'

const fits = (paths: string[], platform: NodeJS.Platform = 'linux', folder = '/games/moss') =>
  findUnfitNames(paths, folder, platform)

describe('names', () => {
  test('that lead out of the folder are refused on every system', () => {
    const hostile = ['../a', 'a/../../b', '/etc/passwd', 'C:/x', 'a\\..\\b', '\u001B[2J', 'nul', 'a:b']
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      for (const path of hostile) expect([path, fits([path], platform).length]).toEqual([path, 1])
  })

  test('of the folder that shelf needs are refused, however they are written', () => {
    expect(fits(['.shelf/install.json', './.SHELF/x', '.shelf', '.\u017Fhelf/x', '.shelf./x'])).toHaveLength(
      5,
    )
    expect(fits(['.shelfish', 'a/.shelf/b'])).toEqual([])
  })

  test('that are one file on some system are refused', () => {
    expect(fits(['Data.pck', 'data.pck'])).toHaveLength(1)
    expect(fits(['a', 'a/b'])).toHaveLength(1)
  })

  test('that Windows cannot write are refused there', () => {
    for (const path of ['a?.txt', 'b*', 'dir./x', 'end ']) {
      expect(fits([path], 'win32')).toHaveLength(1)
      expect(fits([path], 'linux')).toEqual([])
    }
  })

  test('that are too long are refused by the rules of the system', () => {
    const long = 'ä'.repeat(128)
    expect(fits([long], 'linux')).toHaveLength(1)
    expect(fits([long], 'darwin')).toEqual([])
    const deep = `${'folder/'.repeat(36)}file`
    expect(fits([deep], 'linux')).toEqual([])
    expect(fits([deep], 'win32', String.raw`C:\Games\moss`)).toHaveLength(1)
  })

  test('are all listed at once, without those beyond the first twenty', () => {
    const paths = Array.from({ length: 30 }, (_, index) => `../${index}`)
    expect(() => requireFitNames(paths, '/games')).toThrow(/"\.\.\/0"[^]*and 10 more/)
    expect(() => requireFitNames(['a/b'], '/games')).not.toThrow()
  })

  test('lose empty parts and dots', () => {
    expect(cleanPath('./a//b/./c')).toBe('a/b/c')
  })
})
