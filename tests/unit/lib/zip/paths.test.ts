import { describe, expect, test } from 'bun:test'

import { PathSet, requireSafePath } from '../../../../src/lib/zip/paths.ts'
import { findRefusal, sourceOf, unpack } from '../../../helpers/files/unpack.ts'
import { makeZip, unicodeName, type ZipPart } from '../../../helpers/files/zips.ts'

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

const NO_FLAG = 0

async function namesOf(...parts: ZipPart[]): Promise<string[]> {
  return Object.keys(await unpack(sourceOf(makeZip(parts))))
}

/** An entry with a Unicode Path field. */
const named = (plain: string, name: string, checkedName = plain): ZipPart => ({
  name: plain,
  flags: NO_FLAG,
  extra: unicodeName(checkedName, name),
})

describe('the name of an entry', () => {
  test('without the UTF-8 flag is UTF-8 where it can be, and in code page 437 otherwise', async () => {
    expect(await namesOf({ name: 'für 文.txt', flags: NO_FLAG })).toEqual(['für 文.txt'])
    expect(await namesOf({ name: Buffer.from('f\u0081r', 'latin1'), flags: NO_FLAG })).toEqual(['für'])
  })

  test('in code page 437 has no control characters either', async () => {
    const zip = makeZip([{ name: Buffer.from('\u0001f\u0081r', 'latin1'), flags: NO_FLAG }])
    expect(await findRefusal(zip)).toContain('has control characters in its name.')
  })

  test('is written without what names nothing', async () => {
    expect(
      await namesOf(
        { name: './', method: 0 },
        { name: './data/', method: 0 },
        { name: './data//a.txt' },
        { name: 'data/./b.txt' },
      ),
    ).toEqual(['./', 'data/', 'data/a.txt', 'data/b.txt'])
    expect(await findRefusal(makeZip([{ name: './a' }, { name: 'a' }]))).toContain('the same file')
  })

  test('may be another one in the Unicode Path field', async () => {
    expect(await namesOf(named('f_r.txt', 'für.txt'), { name: 'other.txt' })).toEqual([
      'für.txt',
      'other.txt',
    ])
    expect(await namesOf(named('A.TXT', 'a.txt'))).toEqual(['a.txt'])
  })

  test.each<[string, ZipPart[]]>([
    ['two entries with one plain name', [named('game.txt', 'a.txt'), named('game.txt', 'b.txt')]],
    ['a plain name that another entry has', [named('setup.exe', 'readme.txt'), { name: 'setup.exe' }]],
    ['a plain name that another has in its field', [named('b.txt', 'a.txt'), named('c.txt', 'b.txt')]],
    ['a plain name that differs from another only in case', [named('A', 'b'), { name: 'a' }]],
    ['a plain name that is a folder of another', [named('data', 'a.txt'), { name: 'data/b.txt' }]],
    ['a name behind a wrong checksum', [named('a', 'b', 'other'), { name: 'b' }]],
  ])('is refused for %s', async (_, parts) => {
    expect(await findRefusal(makeZip(parts))).toContain('would be the same file on some systems')
    expect(await findRefusal(makeZip(parts.toReversed()))).toContain('would be the same file on some systems')
  })

  test('is refused when any of them leads out of the folder', async () => {
    for (const part of [named('../a', 'a'), named('a', '../a'), named('a', '../a', 'other')]) {
      expect(await findRefusal(makeZip([part]))).toContain('leads out of its folder')
    }
  })
})
