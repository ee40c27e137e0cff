import { describe, expect, test } from 'bun:test'

import { createRandom } from '../../../../src/lib/random.ts'
import { renderMarkdown, textOfMarkdown } from '../../../../src/lib/text/markdown.ts'
import { MARKDOWN_ATTACKS } from '../../../helpers/hostile/markdown-attacks.ts'

const PLAIN = [
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'blockquote',
  'ul',
  'li',
  'pre',
  'code',
  'hr',
  'br',
  'strong',
  'em',
  'del',
  'table',
  'thead',
  'tbody',
  'tr',
]
const VOID = new Set(['br', 'hr', 'img'])
const GLUE = ['', '', ' ', '\n', '\n\n', '> ', '- ', '1. ', '*', '**', '`', '|', '[', '](', '![', '"', '\\']
const ALIGN = { align: /^(?:left|center|right)$/ }

/** Every tag there may be, with what its attributes may say. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...Object.fromEntries(PLAIN.map((name) => [name, {}])),
  a: { href: /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu, rel: /^nofollow ugc noopener$/ },
  ol: { start: /^\d+$/ },
  th: ALIGN,
  td: ALIGN,
}

/** What a parser of HTML finds in it that should not be there. */
function faultsOf(html: string): string[] {
  const faults: string[] = []
  new HTMLRewriter()
    .on('*', {
      element({ tagName, attributes }) {
        const allowed = ALLOWED[tagName]
        if (!allowed) faults.push(`<${tagName}>`)
        for (const [name = '', value = ''] of attributes) {
          if (value !== '' && !allowed?.[name]?.test(value)) faults.push(`<${tagName} ${name}="${value}">`)
          if (value === '' && name !== 'alt') faults.push(`<${tagName} ${name}>`)
        }
      },
    })
    .onDocument({
      comments: ({ text }) => void faults.push(`comment ${text}`),
      doctype: () => void faults.push('doctype'),
    })
    .transform(html)
  return [...faults, ...unbalanced(html)]
}

/** Tags that would reach out of the text into the page around it. */
function unbalanced(html: string): string[] {
  const open: string[] = []
  for (const [tag, slash, name = ''] of html.matchAll(/<(\/?)([a-z1-6]+)/g)) {
    if (slash && open.pop() !== name) return [`${tag} closes nothing`]
    if (!slash && !VOID.has(name)) open.push(name)
  }
  return open.map((name) => `<${name}> stays open`)
}

describe('hostile Markdown', () => {
  test('the judge sees what it should', () => {
    const hostile =
      '<p onclick="x"><script>1</script><a href="javascript:1">x</a><!-- x --><img src="http://x"></b>'
    expect(faultsOf(hostile)).toEqual([
      '<p onclick="x">',
      '<script>',
      '<a href="javascript:1">',
      'comment  x ',
      '<img>',
      '<img src="http://x">',
      '</b closes nothing',
    ])
  })

  test.each(MARKDOWN_ATTACKS.map((text) => [JSON.stringify(text), text]))('%s', (_, text) => {
    expect(faultsOf(renderMarkdown(text))).toEqual([])
    expect(textOfMarkdown(text)).not.toContain('\n')
  })

  test('any mixture of them is as harmless as each alone', () => {
    const random = createRandom(20_260_501)
    for (let round = 0; round < 4000; round += 1) {
      const pieces = Array.from({ length: 2 + random.below(5) }, () => {
        const attack = random.pick(MARKDOWN_ATTACKS)
        const start = random.chance(0.5) ? 0 : random.below(attack.length)
        return attack.slice(start, start + 1 + random.below(attack.length)) + random.pick(GLUE)
      })
      const text = pieces.join('')
      const faults = faultsOf(renderMarkdown(text))
      if (faults.length > 0) throw new Error(`${JSON.stringify(text)}: ${faults.join(', ')}`)
    }
  })
})

const SIZE = 50_000
const fill = (piece: string, size = SIZE) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
const steps = (line: (step: number) => string) => {
  let text = ''
  for (let step = 0; text.length < SIZE; step += 1) text += line(step)
  return text.slice(0, SIZE)
}

describe('Markdown made to keep the parser busy', () => {
  test.each([
    ['quotes in quotes', fill('>')],
    ['spaced quotes in quotes', fill('> ')],
    ['quotes deeper in every line', steps((step) => `${'>'.repeat(step)}a\n`)],
    ['lists in lists', fill('- ')],
    ['numbered lists in lists', fill('1. ')],
    ['lists in quotes', fill('> 1. ')],
    ['nested lists before empty lines', fill('+ ', 25_000) + fill('\n', 25_000)],
    ['lists deeper in every line', steps((step) => `${'  '.repeat(step)}- a\n`)],
    ['open brackets', fill('[')],
    ['open pictures', fill('![')],
    ['open links', fill('[a](')],
    ['links in links', fill('[', 12_000) + fill('](b)', 38_000)],
    ['stars', fill('*')],
    ['stars and letters', fill('*a **b ')],
    ['underscores', fill('_a__b')],
    ['strokes', fill('~a~~')],
    ['backticks', fill('`')],
    ['runs of backticks, each longer', steps((step) => `${'`'.repeat(step + 1)}a`)],
    ['escaped backticks', fill('\\``')],
    ['fences', fill('```\n')],
    ['addresses', fill('https://a.b_')],
    ['half addresses', fill('www._')],
    ['10,000 links', fill('[a](https://x.y) ', 170_000)],
    ['one long address in 8,000 links', `[a]: https://x.y/${fill('&', 25_000)}\n\n${fill('[a]', 25_000)}`],
    ['definitions that name each other', fill('[x]:```[x]:\n\n')],
    ['a wide table of short rows', `${fill('|a', 240)}|\n${fill('|-', 240)}|\n${fill('a\n', 49_000)}`],
    ['the same with the old line ends', `${fill('|a', 240)}|\r${fill('|-', 240)}|\r${fill('a\r', 49_000)}`],
    ['the rule of a table without an end', fill('|-') + fill('b')],
    ['entities', fill('&#')],
    ['open tags', fill('<a href="')],
    ['open comments', fill('<!--')],
    ['backslashes', fill('\\')],
    ['empty characters', fill('\0')],
    ['halves of characters', fill('\uD800')],
  ])(
    '%s',
    (_, text) => {
      const html = renderMarkdown(text)
      expect(html.length).toBeLessThan(2_000_000)
      expect(faultsOf(html)).toEqual([])
      textOfMarkdown(text)
    },
    10_000,
  )
})
