import { Tokenizer } from 'htmlparser2'

import { linkTarget, type Run, writeLines } from './markdown-inline.ts'

type HtmlToken =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string }

/** The text inside these elements is not visible. */
const SKIPPED = new Set([
  'script',
  'style',
  'iframe',
  'noscript',
  'object',
  'svg',
  'template',
  'video',
  'audio',
  'head',
])

/**
 * Splits HTML into tokens in order, with entities decoded. Uses only the tokenizer: building a tree takes
 * quadratic time on deep nesting. An unclosed tag is dropped with everything after it.
 */
export function parseHtmlTokens(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = []
  let name = ''
  let attributes = new Map<string, string>()
  let attribute = { name: '', value: '' }
  let skipped: string | null = null
  const push = (token: HtmlToken) => {
    if (skipped === null) tokens.push(token)
  }
  const open = () => {
    push({ kind: 'open', name, attributes })
    if (SKIPPED.has(name)) skipped ??= name
  }
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => push({ kind: 'text', text: html.slice(start, end) }),
      ontextentity: (code) => push({ kind: 'text', text: String.fromCodePoint(code) }),
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase()
        attributes = new Map()
      },
      onattribname(start, end) {
        attribute = { name: html.slice(start, end).toLowerCase(), value: '' }
      },
      onattribdata(start, end) {
        attribute.value += html.slice(start, end)
      },
      onattribentity(code) {
        attribute.value += String.fromCodePoint(code)
      },
      onattribend() {
        if (!attributes.has(attribute.name)) attributes.set(attribute.name, attribute.value.trim())
      },
      onopentagend: open,
      onselfclosingtag: open,
      onclosetag(start, end) {
        const closed = html.slice(start, end).toLowerCase()
        if (closed === skipped) skipped = null
        push({ kind: 'close', name: closed })
      },
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return tokens
}

function ignore(): void {}

const HTML_MAX = 400_000
const DEPTH_MAX = 8

const BREAKING = new Set([
  'p',
  'div',
  'section',
  'article',
  'header',
  'footer',
  'center',
  'figure',
  'form',
  'address',
  'table',
  'caption',
  'thead',
  'tbody',
  'tfoot',
  'tr',
  'dl',
  'dt',
  'dd',
  'hr',
])
const STYLES: Readonly<Record<string, 'strong' | 'em' | 'code'>> = {
  b: 'strong',
  strong: 'strong',
  i: 'em',
  em: 'em',
  cite: 'em',
  code: 'code',
  tt: 'code',
  kbd: 'code',
  samp: 'code',
}

type Attributes = ReadonlyMap<string, string>

/** A list item or quote around a block. A list item shows its marker on its first line only. */
interface Container {
  kind: 'quote' | 'list' | 'item'
  mark: string
  isShown: boolean
  /** For lists: the number of the next item, or null for bullets. */
  next: number | null
}

/**
 * Converts to Markdown that shows the same text, with headings, lists, quotes, emphasis, code and links, but
 * without images. Everything else is escaped, so no HTML and no Markdown syntax of the text itself gets
 * through.
 */
export function htmlToMarkdown(html: string): string {
  const writer = new Writer()
  for (const token of parseHtmlTokens(html.slice(0, HTML_MAX))) writer.take(token)
  return writer.finish()
}

class Writer {
  private readonly lines: string[] = []
  private readonly within: Container[] = []
  private lastWithin: readonly Container[] = []
  private runs: Run[] = []
  private heading = 0
  private preformatted: string | null = null
  private href: string | null = null
  private readonly depths = { strong: 0, em: 0, code: 0 }
  /** The number of open lists and quotes beyond the depth limit. */
  private tooDeep = 0
  /** Adjacent lists need different markers, or Markdown would merge them. */
  private readonly lists: number[] = []

  take(token: HtmlToken): void {
    if (token.kind === 'text') this.text(token.text)
    else if (token.kind === 'open') this.open(token.name, token.attributes)
    else this.close(token.name)
  }

  finish(): string {
    this.close('pre')
    this.flush()
    return this.lines.join('\n')
  }

  private text(text: string): void {
    const clean = text.replace(/[^\P{Cc}\s]/gu, '')
    if (this.preformatted !== null) this.preformatted += clean
    else this.push(clean.replace(/\s+/g, ' '))
  }

  private push(text: string): void {
    const { strong, em, code } = this.depths
    this.runs.push({ text, strong: strong > 0, em: em > 0, code: code > 0, href: this.href })
  }

  private open(name: string, attributes: Attributes): void {
    const style = STYLES[name]
    if (name === 'br') this.lineBreak()
    else if (this.preformatted !== null) return
    else if (style) this.depths[style] += 1
    else if (name === 'a') this.href = parseLink(attributes.get('href') ?? '')
    else if (name === 'td' || name === 'th') this.cell()
    else this.openBlock(name, attributes)
  }

  private openBlock(name: string, attributes: Attributes): void {
    if (BREAKING.has(name)) this.flush()
    if (name === 'hr') this.write(['___'])
    else if (/^h[1-6]$/.test(name)) {
      this.flush()
      this.heading = Number(name[1])
    } else if (name === 'pre') {
      this.flush()
      this.preformatted = ''
    } else if (name === 'blockquote') this.enter({ kind: 'quote', mark: '> ', isShown: true, next: null })
    else if (name === 'ul') this.enterList(null)
    else if (name === 'ol') this.enterList(Number(/^\d{1,6}$/.exec(attributes.get('start') ?? '')?.[0] ?? 1))
    else if (name === 'li') this.enterItem()
  }

  private close(name: string): void {
    const style = STYLES[name]
    if (name === 'pre') this.closePreformatted()
    else if (this.preformatted !== null) return
    else if (style) this.depths[style] = Math.max(0, this.depths[style] - 1)
    else if (name === 'a') this.href = null
    else if (name === 'ul' || name === 'ol') this.leave('list')
    else if (name === 'blockquote') this.leave('quote')
    else if (name === 'li' || BREAKING.has(name) || /^h[1-6]$/.test(name)) this.flush()
  }

  private closePreformatted(): void {
    const text = this.preformatted?.replace(/^\r?\n|\s+$/g, '') ?? ''
    this.preformatted = null
    if (text === '') return
    const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2)
    const fence = '`'.repeat(longest + 1)
    this.write([fence, ...text.split(/\r\n?|\n/), fence])
  }

  /** Two line breaks in a row end the paragraph. */
  private lineBreak(): void {
    if (this.preformatted !== null) this.preformatted += '\n'
    else if (this.runs.findLast(({ text }) => text !== ' ')?.text === '\n') this.endParagraph()
    else this.runs.push({ text: '\n', strong: false, em: false, code: false, href: null })
  }

  private cell(): void {
    if (this.runs.some(({ text }) => text.trim() !== '')) this.push(' | ')
  }

  private enterList(next: number | null): void {
    const depth = this.within.length
    this.lists[depth] = (this.lists[depth] ?? 0) + 1
    this.enter({ kind: 'list', mark: '', isShown: true, next })
  }

  private enterItem(): void {
    this.flush()
    const at = this.within.findLastIndex(({ kind }) => kind === 'list')
    const list = this.within[at]
    if (!list || this.tooDeep > 0) return
    this.within.length = at + 1
    const isOther = (this.lists[at] ?? 0) % 2 === 0
    const mark = list.next === null ? (isOther ? '* ' : '- ') : `${list.next}${isOther ? ')' : '.'} `
    if (list.next !== null) list.next += 1
    this.within.push({ kind: 'item', mark, isShown: false, next: null })
  }

  private enter(container: Container): void {
    this.flush()
    if (this.within.filter(({ kind }) => kind !== 'item').length < DEPTH_MAX) this.within.push(container)
    else this.tooDeep += 1
  }

  private leave(kind: Container['kind']): void {
    this.flush()
    if (this.tooDeep > 0) this.tooDeep -= 1
    else {
      const at = this.within.findLastIndex((container) => container.kind === kind)
      if (at !== -1) this.within.length = at
    }
  }

  private flush(): void {
    this.endParagraph()
    this.heading = 0
  }

  private endParagraph(): void {
    const lines = writeLines(this.runs).filter((line) => line !== '')
    this.runs = []
    if (lines.length === 0) return
    if (this.heading > 0) {
      const text = lines.join(' ').replace(/(?<!\\)#$/, '\\#')
      this.write([`${'#'.repeat(this.heading)} ${text}`])
    } else this.write(lines.map((line, index) => (index < lines.length - 1 ? `${line}\\` : line)))
  }

  private write(lines: readonly string[]): void {
    const shared = this.within.filter((container, index) => container === this.lastWithin[index])
    if (this.lines.length > 0 && !this.isTight(shared)) this.lines.push(prefixOf(shared).trimEnd())
    for (const line of lines) this.lines.push((prefixOf(this.within) + line).trimEnd())
    this.lastWithin = [...this.within]
  }

  /**
   * True for an item after another item, or after the text it is nested under: Markdown needs no blank line
   * there.
   */
  private isTight(shared: readonly Container[]): boolean {
    const starting = this.within.find(({ isShown }) => !isShown)
    const around = shared.at(-1)?.kind
    if (!starting || !around || around === 'quote') return false
    return around === 'list' ? this.lastWithin.length > shared.length : /^(?:[-*]|1[.)]) /.test(starting.mark)
  }
}

function prefixOf(containers: readonly Container[]): string {
  let prefix = ''
  for (const container of containers) {
    prefix +=
      container.kind === 'item' && container.isShown ? ' '.repeat(container.mark.length) : container.mark
    container.isShown = true
  }
  return prefix
}

/** Unwraps the external store's redirects through its warning page. */
function parseLink(href: string): string | null {
  if (!URL.canParse(href)) return null
  const { pathname, searchParams } = new URL(href)
  const isDetour = /\/linkfilter\/?$/.test(pathname)
  return linkTarget(isDetour ? (searchParams.get('u') ?? searchParams.get('url') ?? '') : href)
}
