import { describe, expect, test } from 'bun:test'

import { createRandom } from '../../../../src/lib/random.ts'
import { htmlToMarkdown, parseHtmlTokens } from '../../../../src/lib/text/html-to-markdown.ts'
import { renderMarkdown, textOfMarkdown } from '../../../../src/lib/text/markdown.ts'

describe('htmlToMarkdown', () => {
  test.each([
    ['paragraphs', '<p>a</p><p>b</p>c<div>d</div>', 'a\n\nb\n\nc\n\nd'],
    [
      'headings',
      '<h1>A</h1>x<h2 class="bb_tag">B <b>c</b></h2><h6>D#</h6>',
      '# A\n\nx\n\n## B **c**\n\n###### D\\#',
    ],
    ['line breaks', 'a<br>b<br/>c', 'a\\\nb\\\nc'],
    ['two line breaks as a new paragraph', 'a<br> <br>b<br><br><br>c', 'a\n\nb\n\nc'],
    ['spaces and entities', ' a \n &nbsp; b&amp;c&hellip;&#39;&#x41; ', "a b\\&c…'A"],
    ['bold and italic', '<b>a</b> <i>b</i> <strong><em>c</em></strong>', '**a** *b* ***c***'],
    ['emphasis with spaces inside', 'a<b> b </b>c', 'a **b** c'],
    ['emphasis that Markdown could not close', '<b>a:</b>b <b>"c"</b>d', 'a:b "c"d'],
    ['emphasis side by side', '<b>a</b><i>b</i>', '**a**b'],
    ['lists', '<ul class="bb_ul"><li>a</li><li>b</li></ul>', '- a\n- b'],
    ['numbered lists', '<ol start="3"><li>a<li>b</ol>', '3. a\n4. b'],
    ['nested lists', '<ul><li>a<ol><li>b</ol><li>c</ul>', '- a\n  1. b\n- c'],
    ['lists right inside lists', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    ['paragraphs in lists', '<ul><li><p>a</p><p>b</p></li><li>c</ul>', '- a\n\n  b\n- c'],
    ['lists in a row', '<ul><li>a</ul><ul><li>b</ul>c', '- a\n\n* b\n\nc'],
    ['items without a list', '<li>a<li>b', 'a\n\nb'],
    ['quotes', '<blockquote><p>a</p><p>b</p></blockquote>c', '> a\n>\n> b\n\nc'],
    ['quotes with lists', '<blockquote>a<ul><li>b<li>c</ul></blockquote>', '> a\n>\n> - b\n> - c'],
    ['code', '<code>a*b</code> <code>c`d</code>', '`a*b` `` c`d ``'],
    ['code blocks', '<pre>\na\n  <b>b</b>```\n</pre>c', '````\na\n  b```\n````\n\nc'],
    ['rules', 'a<hr>b', 'a\n\n___\n\nb'],
    [
      'tables as lines',
      '<table><tr><th>a<th>b</tr><tr><td>c</td><td>d</td></tr></table>',
      'a \\| b\n\nc \\| d',
    ],
    ['links', '<a href="https://x.y/?a=1&amp;b=2">c</a>', '[c](https://x.y/?a=1&b=2)'],
    [
      'links by way of the store',
      '<a href="https://steamcommunity.com/linkfilter/?u=https%3A%2F%2Fx.y%2Fa(b)" target=_blank>c</a>',
      '[c](https://x.y/a%28b%29)',
    ],
    [
      'links with styles and spaces',
      'a<a href="https://x.y"> b <b>c</b> </a>d',
      'a [b **c**](https://x.y/) d',
    ],
    ['a link after an exclamation mark', 'a!<a href="https://x.y">b</a>', 'a\\![b](https://x.y/)'],
    [
      'addresses as the words of a link',
      '<a href="https://x.y">https://x.y</a>',
      '[https\\://x.y](https://x.y/)',
    ],
    [
      'bare addresses',
      'https://x.y, https://x.y/a_b.',
      'https://x.y, [https\\://x.y/a\\_b](https://x.y/a_b).',
    ],
    ['links elsewhere as their words', '<a href="javascript:a()">b</a><a href="/c">d</a><a>e</a>', 'bde'],
    ['links around nothing', 'a<a href="https://x.y"><img src="z.png"></a>b', 'ab'],
    ['pictures not at all', 'a<img src="https://x.y/z.png" alt="n">b', 'ab'],
    ['scripts and styles not at all', 'a<script>b("</p>")</script ><style>c</style><!-- d --><?e?>f', 'af'],
    [
      'marks of the text itself',
      '*a* _b_ `c` [d](e) # f ~g~ | h \\',
      '\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) # f \\~g\\~ \\| h \\\\',
    ],
    [
      'marks at the start of a line',
      '# a<br>- b<br>+ c<br>=== <br>12. d<br>3) e',
      '\\# a\\\n\\- b\\\n\\+ c\\\n\\===\\\n12\\. d\\\n3\\) e',
    ],
    ['written tags', '&lt;script&gt; a < b > c', '\\<script\\> a \\< b \\> c'],
    ['written entities', '&amp;lt; &amp;amp', '\\&lt; \\&amp'],
    ['ends of what never began', 'a</b></ul></blockquote></pre></li></h1>b', 'a\n\nb'],
    ['tags across each other', '<b>a<p>b</b>c', '**a**\n\n**b**c'],
    ['quotes in attributes', `<p title="a>b" it's>c<a href='https://x.y'>d</a>`, 'c[d](https://x.y/)'],
    ['a tag that never ends', 'a<p title="b', 'a'],
    ['nothing', '', ''],
    ['empty blocks', '<h1></h1><ul><li></li></ul><p> </p><blockquote></blockquote><pre>\n</pre>', ''],
  ])('%s', (_, html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown)
  })

  const PIECES = [
    '<p>',
    '</p>',
    '<br>',
    '<ul>',
    '</ul>',
    '<ol>',
    '<ol start=9>',
    '</ol>',
    '<li>',
    '</li>',
    '<h2>',
    '</h2>',
    '<hr>',
    '<b>',
    '</b>',
    '<i>',
    '</i>',
    '<strong>',
    '</em>',
    '<code>',
    '</code>',
    '<pre>',
    '</pre>',
    '<!-- x -->',
    '<blockquote>',
    '</blockquote>',
    '<a href="https://x.y/_*(">',
    '<a href="javascript:x">',
    '</a>',
    '<img src=x>',
    '<tr>',
    '<div>',
    '</div>',
    '<unknown x="y">',
    '<script>bad()</script>',
    '<svg><text>bad</text></svg>',
    ' ',
    '\n',
    'word',
    'Two words',
    '*',
    '**',
    '_',
    '`',
    '```',
    '~~',
    '[',
    ']',
    '(x)',
    '!',
    '#',
    '# ',
    '- ',
    '+ ',
    '1. ',
    '2) ',
    '>',
    '> ',
    '&lt;b&gt;',
    '&amp;amp;',
    '&amp;#33;',
    '|',
    '---',
    '===',
    '\\',
    '"',
    "'",
    ':',
    'é',
    '💥',
    '„x“',
    '€',
    'https://x.y/a_b*c',
    'http://',
    'https://[',
    'www.x.y',
    'a@x.y',
    '[x]: https://x.y',
    '    code',
    '&copy;',
    '$x$',
  ]
  const seen = (text: string) => text.replace(/\s+/g, '')

  test('lists and quotes in each other, deeper than anyone reads, keep their text', () => {
    const html = `${'<ul><li>a<blockquote>b<ol><li>c'.repeat(30)}${'</ol></blockquote></ul>d'.repeat(30)}`
    expect(seen(textOfMarkdown(htmlToMarkdown(html)))).toBe('abc'.repeat(30) + 'd'.repeat(30))
  })

  test('whatever comes, the reader sees the same text and nothing active', () => {
    const random = createRandom(6)
    for (let round = 0; round < 1500; round += 1) {
      const html = Array.from({ length: 1 + random.below(30) }, () => random.pick(PIECES)).join('')
      const markdown = htmlToMarkdown(html)
      const source = [...parseHtmlTokens(html)]
        .map((token) => (token.kind === 'text' ? token.text : ''))
        .join('')
      expect([html, seen(textOfMarkdown(markdown))]).toEqual([html, seen(source)])
      expect(renderMarkdown(markdown)).not.toMatch(/<script|<svg|<img|javascript:|bad\(/)
    }
  })

  test.each([
    ['tags that never end', '<a href="'.repeat(25_000)],
    ['open tags', '<ul><li><b>a'.repeat(20_000)],
    ['quotes', '<blockquote>a'.repeat(20_000)],
    ['line breaks', 'a<br>'.repeat(40_000)],
    ['styles', '<b>a</b>b'.repeat(25_000)],
    ['links', '<a href="https://x.y">a</a> '.repeat(20_000)],
    ['cells', '<td>a'.repeat(40_000)],
    ['ticks', '<code>`</code>'.repeat(30_000)],
    ['scripts', '<script>'.repeat(25_000)],
    ['less-than signs', '<'.repeat(200_000)],
    ['addresses', 'http://.'.repeat(25_000)],
    ['entities', '&amp;'.repeat(40_000)],
    ['spaces', ' '.repeat(200_000)],
    ['more than anyone reads', '<p>a</p>'.repeat(1_000_000)],
  ])('a huge text of %s is read in one pass', (_, html) => {
    expect(htmlToMarkdown(html).length).toBeLessThan(2_000_000)
  })
})
