import { describe, expect, test } from 'bun:test'

import {
  type ChangelogItem,
  parseItemLines,
  writeItemLines,
} from '../../../../src/domain/builds/build-fields.ts'

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
