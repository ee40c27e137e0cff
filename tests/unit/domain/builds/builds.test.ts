import { describe, expect, test } from 'bun:test'

import {
  type ChangelogItem,
  parseItemLines,
  writeItemLines,
} from '../../../../src/domain/builds/build-fields.ts'
import { describeMissingPage, findEntryPage, folderOf } from '../../../../src/domain/builds/files.ts'

describe('changes as the lines of a form', () => {
  test.each<[string, string, ChangelogItem[]]>([
    ['nothing', ' \n\n', []],
    [
      'one per line, with or without a dash',
      'The lamp turns\r\n- Saves are faster\n* Stars',
      [
        { title: 'The lamp turns', description: '' },
        { title: 'Saves are faster', description: '' },
        { title: 'Stars', description: '' },
      ],
    ],
    [
      'indented lines describe the change before, also after an empty one',
      'Lamp\n  It turns.\n\n\tTwice.\n\nStars',
      [
        { title: 'Lamp', description: 'It turns.\n\nTwice.' },
        { title: 'Stars', description: '' },
      ],
    ],
    ['an indented first line is a change', '  Lamp', [{ title: 'Lamp', description: '' }]],
  ])('%s', (_, text, items) => {
    expect(parseItemLines(text)).toEqual(items)
    expect(parseItemLines(writeItemLines(items))).toEqual(items)
  })
})

describe('the entry page of a web build', () => {
  const cases: [string, string[], string | null][] = [
    ['at the root', ['game.js', 'index.html'], 'index.html'],
    ['in the only folder', ['web/', 'web/index.html', 'web/a/b.js'], 'web/index.html'],
    ['beside what macOS adds', ['web/index.html', '__MACOSX/web/._index.html'], 'web/index.html'],
    ['at the root before one in a folder', ['web/index.html', 'index.html'], 'index.html'],
    ['not with a second folder', ['web/index.html', 'docs/readme.txt'], null],
    ['not with a file at the root', ['web/index.html', 'readme.txt'], null],
    ['not two folders deep', ['build/web/index.html'], null],
    ['not in another case', ['Index.html'], null],
    ['not in an empty zip', [], null],
  ]
  for (const [when, paths, expected] of cases) {
    test(when, () => {
      expect(findEntryPage(paths)).toBe(expected)
    })
  }

  test('its folder stands in front of all names', () => {
    expect([folderOf('index.html'), folderOf('web/index.html')]).toEqual(['', 'web/'])
  })

  test('a missing one is told with the place where another lies', () => {
    expect(describeMissingPage('build/web/index.html')).toBe(
      'index.html was not found at the root; found at build/web/index.html',
    )
    expect(describeMissingPage(null)).toBe('index.html was not found at the root')
  })
})
