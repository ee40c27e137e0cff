import { describe, expect, test } from 'bun:test'

import { renderMarkdown } from '../../../src/lib/text/markdown.ts'
import { nestHeadings } from '../../../src/site/components/prose.tsx'

const levelsOf = (text: string, under: number) =>
  [...nestHeadings(renderMarkdown(text), under).matchAll(/<h(\d)>[^<]*<\/h(\d)>/g)].map(([, open, close]) => [
    Number(open),
    Number(close),
  ])

describe('headings inside of what people wrote', () => {
  test.each([
    ['begin below the heading of the section', '# a\n\n## b\n\n# c', 2, [3, 4, 3]],
    ['close gaps', '# a\n\n#### b\n\n###### c', 2, [3, 4, 5]],
    ['never step down by two', '#### a\n\n# b', 2, [3, 3]],
    ['end at six', '# a\n\n## b\n\n### c\n\n#### d\n\n##### e', 2, [3, 4, 5, 6, 6]],
  ])('%s', (_, text, under, levels) => {
    expect(levelsOf(text, under)).toEqual(levels.map((level) => [level, level]))
  })
})
