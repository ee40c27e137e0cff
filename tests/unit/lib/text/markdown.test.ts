import { describe, expect, spyOn, test } from 'bun:test'

import { createRandom } from '../../../../src/lib/random.ts'
import { renderMarkdown, textOfMarkdown } from '../../../../src/lib/text/markdown.ts'

const REL = 'rel="nofollow ugc noopener"'

describe('renderMarkdown', () => {
  test.each([
    ['a paragraph', 'One & "two" <3', '<p>One &amp; &quot;two&quot; &lt;3</p>'],
    ['headings', '# A\n\nB\n---', '<h1>A</h1>\n<h2>B</h2>'],
    [
      'emphasis',
      '*a* **b** ~~c~~ `d<`',
      '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d&lt;</code></p>',
    ],
    ['line breaks and rules', 'a  \nb\n\n***', '<p>a<br>\nb</p>\n<hr>'],
    ['quotes', '> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
    ['lists', '- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
    ['numbered lists that begin anywhere', '3. a', '<ol start="3">\n<li>a</li>\n</ol>'],
    ['things to do', '- [x] a\n- [ ] b', '<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>'],
    ['code, without its language', '```js\nx\n```', '<pre><code>x\n</code></pre>'],
    [
      'tables',
      '| a | b |\n|:-|-|\n| 1 | 2 |',
      '<table>\n<thead>\n<tr><th align="left">a</th><th>b</th></tr>\n</thead>\n' +
        '<tbody>\n<tr><td align="left">1</td><td>2</td></tr>\n</tbody>\n</table>',
    ],
    [
      'links, without their title',
      '[a](https://x.y?b&c "t")',
      `<p><a href="https://x.y?b&amp;c" ${REL}>a</a></p>`,
    ],
    ['plain links', '[a](http://x.y)', `<p><a href="http://x.y" ${REL}>a</a></p>`],
    ['mail', '[a](mailto:a@x.y)', `<p><a href="mailto:a@x.y" ${REL}>a</a></p>`],
    ['bare addresses', 'See https://x.y now', `<p>See <a href="https://x.y" ${REL}>https://x.y</a> now</p>`],
    ['links by reference', '[a]\n\n[a]: https://x.y', `<p><a href="https://x.y" ${REL}>a</a></p>`],
    [
      'pictures, as links to them',
      '![a "b"](https://x.y/z.png)',
      `<p><a href="https://x.y/z.png" ${REL}>a &quot;b&quot;</a></p>`,
    ],
    [
      'pictures without a text',
      '![](https://x.y/z.png)',
      `<p><a href="https://x.y/z.png" ${REL}>Picture</a></p>`,
    ],
    [
      'pictures that are links',
      '[![a](https://x.y/z.png)](https://x.y)',
      `<p><a href="https://x.y" ${REL}>a</a></p>`,
    ],
  ])('knows %s', (_, text, html) => {
    expect(renderMarkdown(text)).toBe(`${html}\n`)
  })

  test.each([
    ['[a](/pages/terms?b=1#c)', 'https://store.example/pages/terms?b=1#c'],
    ['[a](/\\evil.example)', null],
    ['[a](//evil.example)', null],
    ['[a](/.//evil.example)', null],
    ['[a](/%2fevil.example)', null],
    ['[a](pages/terms)', null],
    ['[a](javascript:b)', null],
  ])('of those who run the store links %p to %p', (text, href) => {
    const shown = renderMarkdown(text, 'https://store.example')
    expect(shown).toBe(href === null ? '<p>a</p>\n' : `<p><a href="${href}" ${REL}>a</a></p>\n`)
  })

  test.each([
    ['HTML is shown, not obeyed', 'a <b>c</b>', '<p>a &lt;b&gt;c&lt;/b&gt;</p>'],
    ['a link within this site is its words', '[a](/b) [c](#d)', '<p>a c</p>'],
    ['a link of another scheme is its words', '[a *b*](javascript:c)', '<p>a <em>b</em></p>'],
    [
      'a link after a dropped one stays',
      '[a](b) [c](https://x.y)',
      `<p>a <a href="https://x.y" ${REL}>c</a></p>`,
    ],
    ['a picture without https is its words', '![a <b>](http://x.y/z.png)', '<p>a &lt;b&gt;</p>'],
    ['entities are characters', '&copy; &lt;b&gt;', '<p>© &lt;b&gt;</p>'],
  ])('%s', (_, text, html) => {
    expect(renderMarkdown(text)).toBe(`${html}\n`)
  })

  test('nothing is nothing', () => {
    expect(renderMarkdown('')).toBe('')
  })

  test('a text that nests without end is shown as it was written', () => {
    const text = `${'> '.repeat(200)}<b>`
    expect(renderMarkdown(text)).toBe(`<pre>${'&gt; '.repeat(200)}&lt;b&gt;</pre>\n`)
  })

  test('a table that would grow a thousandfold stays text, a large honest one does not', () => {
    const row = '|a'.repeat(100)
    expect(renderMarkdown(`${row}|\n${'|-'.repeat(100)}|\n${'a\n'.repeat(1000)}`)).not.toContain('<td')
    expect(renderMarkdown(`|a|b|\n|-|-|\n${'|c|d|\n'.repeat(1000)}`).match(/<td>/g)).toHaveLength(2000)
  })
})

describe('textOfMarkdown', () => {
  test.each([
    ['marks are gone, words stay whole', '# A\n\n**b**old, *it*alic and `co`de', 'A bold, italic and code'],
    ['blocks and cells are apart', '- a\n- b\n\n|c|d|\n|-|-|\n|e|f|', 'a b c d e f'],
    ['lines are joined', 'a\nb  \nc\n\n\n\n   d', 'a b c d'],
    ['entities are read', '&lt;b&gt; &amp;amp; &quot;c&quot; it&#39;s', '<b> &amp; "c" it\'s'],
    ['HTML counts as the text it is shown as', '<b>a</b>', '<b>a</b>'],
    [
      'addresses are not read, words of links and pictures are',
      '[a](https://x.y) ![b](https://x.y/z.png)',
      'a b',
    ],
    ['what is shown as written is read as written', `${'>'.repeat(100)} a`, `${'>'.repeat(100)} a`],
    ['nothing', ' \n ', ''],
  ])('%s', (_, text, seen) => {
    expect(textOfMarkdown(text)).toBe(seen)
  })

  test('text without markup is read as the parser would', () => {
    const random = createRandom('plain text')
    const parts = [
      'a',
      'b c',
      '1',
      '2.',
      '3)',
      ' ',
      '    ',
      '\t',
      '\n',
      '\n\n',
      '  \n',
      '\r\n',
      '\r',
      '\f',
      '\u00a0',
      '-',
      '+',
      '=',
      '#',
      ':',
      ':-:',
      '---',
      '!',
      '"',
      "'",
      '(',
      ')',
      '@',
      '$',
      '^',
      'é',
      '東',
      '🎮',
      'https://x.example/y-z',
      'www.x.example',
      'me@x.example',
      '[',
      '*',
      '<',
      '|',
      '~',
    ]
    for (let count = 0; count < 20_000; count += 1) {
      const text = Array.from({ length: 1 + random.below(14) }, () => random.pick(parts)).join('')
      // The last paragraph has markup, so the whole text is parsed.
      const parsed = textOfMarkdown(`${text}\n\n&amp;`)
      if (parsed.endsWith('&')) expect([text, parsed]).toEqual([text, `${textOfMarkdown(text)} &`.trim()])
    }
  })
})

describe('a long text', () => {
  const text = `${crypto.randomUUID()} **bold** [home](/docs)\n\n`.repeat(50)

  test('is parsed once, however often it is rendered or read', () => {
    using parse = spyOn(Bun.markdown, 'html')
    const html = renderMarkdown(text)
    expect(renderMarkdown(text)).toBe(html)
    expect(textOfMarkdown(text)).toBe(textOfMarkdown(text))
    expect(parse).toHaveBeenCalledTimes(1)
  })

  test('is rendered apart for the store itself, whose links may be paths', () => {
    expect(renderMarkdown(text)).not.toContain('href')
    expect(renderMarkdown(text, 'https://shelf.example')).toContain('href="https://shelf.example/docs"')
  })
})
