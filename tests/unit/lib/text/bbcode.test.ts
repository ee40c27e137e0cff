import { describe, expect, test } from 'bun:test'

import { escapeBBCode, renderBBCode } from '../../../../src/lib/text/bbcode.ts'

describe('BBCode', () => {
  test.each([
    ['**bold** *italic* ~~gone~~ `code`', '[b]bold[/b] [i]italic[/i] [s]gone[/s] [code]code[/code]'],
    ['# One\n\ntext\nsame line\n\n## Two', '[b]One[/b]\n\ntext same line\n\n[b]Two[/b]'],
    ['a  \nb', 'a\nb'],
    ['- one\n- two\n  - inner\n- three', '• one\n• two\n  • inner\n• three'],
    ['3. three\n4. four\n\nafter', '3. three\n4. four\n\nafter'],
    ['> quoted', '[indent]quoted\n\n[/indent]'],
    ['```\na [b]\n  c\n```', '[code]a [lb]b]\n  c\n[/code]'],
    ['[text](https://example.com/?a=1&b=2)', '[url=https://example.com/?a=1&b=2]text[/url]'],
    ['[text](https://example.com/[x])', '[url=https://example.com/%5Bx%5D]text[/url]'],
    ['![alt](https://example.com/a.png)', '[url=https://example.com/a.png]alt[/url]'],
    ['a & b < c', 'a & b < c'],
    ['a\n\n---\n\nb', 'a\n\n――――――――\n\nb'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '[b]a[/b]   [b]b[/b]\n1   2'],
    ['', ''],
  ])('%j', (text, bbcode) => {
    expect(renderBBCode(text)).toBe(bbcode)
  })

  test('has no tag that the text brought along', () => {
    const hostile = '[url=javascript:x]click[/url] [img]x[/img] \\[b] [[i] `[code]` [a](https://e.org "[b]")'
    expect(renderBBCode(hostile).replaceAll('[lb]', '')).not.toMatch(/\[\/?(?:img|i|b|url=javascript)/)
    expect(escapeBBCode('[b]')).toBe('[lb]b]')
  })
})
