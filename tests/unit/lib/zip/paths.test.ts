import { describe, expect, test } from 'bun:test'

import { PathSet, requireSafePath } from '../../../../src/lib/zip/paths.ts'

const DEVICES = [
  'CON',
  'con',
  'PRN',
  'aux',
  'NUL',
  'CONIN$',
  'conout$',
  'COM1',
  'com9',
  'LPT1',
  'lpt9',
  'COM¹',
  'com²',
  'LPT³',
]

describe('names that Windows takes for something else are refused:', () => {
  test.each(DEVICES)('the device %s', (name) => {
    const paths = [
      name,
      `${name}.txt`,
      `${name}.tar.gz`,
      `${name} .txt`,
      `${name}.`,
      `a/${name}`,
      `${name}/a`,
    ]
    for (const path of paths) expect(() => requireSafePath(path)).toThrow('the name of a device on Windows')
  })

  test.each(['ab:c', 'readme.txt:hidden', 'a/b:$DATA', 'aa:'])('the colon in %s', (path) => {
    expect(() => requireSafePath(path)).toThrow('has a colon in its name')
  })

  test.each(['...', ' ', '. .', 'a/.. /b', 'a/ /b', '.. ', '.... .'])(
    'dots and spaces alone: "%s"',
    (path) => {
      expect(() => requireSafePath(path)).toThrow('dots and spaces alone')
    },
  )
})

test.each([
  'console',
  'CONTENT.txt',
  'com',
  'com0',
  'COM10',
  'lpt',
  'auxiliary/x',
  'nul_',
  'xcon',
  'a.con',
  'a.nul.txt',
  '.con',
  '.hidden',
  '..a',
  'a..b',
  'a.',
  'a /b',
  'what?.ogg',
  'a*b',
  '<a>',
  'a|b',
  '"a"',
  './a',
  'a//b',
])('"%s" is a name like others', (path) => {
  expect(() => requireSafePath(path)).not.toThrow()
})

describe('names that are one file on some system are refused together:', () => {
  const clash = (...paths: string[]) => {
    const set = new PathSet()
    for (const path of paths) set.add(path)
  }

  test.each([
    ['a', 'a.'],
    ['a', 'A...'],
    ['a', 'a '],
    ['a.txt', 'a.txt. .'],
    ['a/b', 'a./b'],
    ['a/b', 'a /B.'],
    ['a./b', 'a'],
    ['a', 'a./b'],
    ['a?', 'a*'],
    ['a_', 'a?'],
    ['"a"', '_a_'],
    ['é', 'e\u0301'],
    ['É/x', 'e\u0301/X'],
    ['ab', 'a\u200cb'],
    ['a\ufeff', 'A'],
    ['a', 'a/b'],
    ['a/b', 'a'],
    ['Straße', 'STRASSE'],
    ['K', '\u212a'],
  ])('"%s" and "%s"', (first, second) => {
    expect(() => clash(first, second)).toThrow('would be the same file on some systems')
  })

  test.each([
    ['a.', 'b.'],
    ['a', '.a'],
    ['a b', 'ab'],
    ['a?', 'b?'],
    ['a./b', 'a/c'],
    ['a', 'ä'],
  ])('but not "%s" and "%s"', (first, second) => {
    expect(() => clash(first, second)).not.toThrow()
  })
})
