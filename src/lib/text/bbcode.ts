import { renderMarkdown, unescapeHtml } from './markdown.ts'

/** Tags with an equivalent in BBCode. */
const SPANS: Readonly<Record<string, string>> = {
  strong: 'b',
  em: 'i',
  del: 's',
  code: 'code',
  h1: 'b',
  h2: 'b',
  h3: 'b',
  h4: 'b',
  h5: 'b',
  h6: 'b',
  th: 'b',
  blockquote: 'indent',
}
const INLINE = /^(?:a|strong|em|del|code)$/
const TAG = /<(\/?)([a-z1-6]+)([^>]*)>|([^<]+)/g
const RULE = '――――――――'

/** Converts untrusted Markdown for labels that render BBCode, such as those of game editors. */
export function renderBBCode(text: string): string {
  const out: string[] = []
  /** The next number of each open list; null for bullets. */
  const lists: (number | null)[] = []
  let [isInPre, isAfterBlock] = [false, true]
  for (const [, slash, name = '', attributes = '', content] of renderMarkdown(text).matchAll(TAG)) {
    if (content !== undefined) {
      out.push(toText(isAfterBlock && !isInPre ? content.trimStart() : content, isInPre))
      continue
    }
    isAfterBlock = !INLINE.test(name)
    const isEnd = slash === '/'
    if (name === 'pre') isInPre = !isEnd
    if (name === 'ul' || name === 'ol') {
      if (isEnd) lists.pop()
      else lists.push(name === 'ul' ? null : Number(/\d+/.exec(attributes)?.[0] ?? 1))
    }
    out.push(name === 'li' && !isEnd ? `\n${openItem(lists)}` : toTag(isEnd, name, attributes, lists.length))
  }
  return tidy(out.join(''))
}

/** Opening brackets would be read as tags; a closing one is harmless without them. */
export function escapeBBCode(text: string): string {
  return text.replaceAll('[', '[lb]')
}

function toText(content: string, isInPre: boolean): string {
  return escapeBBCode(unescapeHtml(isInPre ? content : content.replace(/\s+/g, ' ')))
}

function toTag(isEnd: boolean, name: string, attributes: string, depth: number): string {
  if (name === 'a') return isEnd ? '[/url]' : `[url=${addressOf(attributes)}]`
  if (name === 'hr') return `\n${RULE}\n\n`
  if (name === 'br') return '\n'
  const span = SPANS[name] === undefined ? '' : `[${isEnd ? '/' : ''}${SPANS[name]}]`
  return span + (isEnd ? gapAfter(name, depth) : '')
}

/** Paragraphs of a list stay together. */
function gapAfter(name: string, depth: number): string {
  if (name === 'td' || name === 'th') return '   '
  if (name === 'tr') return '\n'
  return depth === 0 && /^(?:p|h\d|ul|ol|pre|blockquote|table)$/.test(name) ? '\n\n' : ''
}

/** Two spaces per level, then a bullet or the number. */
function openItem(lists: (number | null)[]): string {
  const number = lists.at(-1) ?? null
  if (number !== null) lists[lists.length - 1] = number + 1
  return `${'  '.repeat(Math.max(0, lists.length - 1))}${number === null ? '•' : `${number}.`} `
}

function addressOf(attributes: string): string {
  const href = unescapeHtml(/ href="([^"]*)"/.exec(attributes)?.[1] ?? '')
  return href.replaceAll('[', '%5B').replaceAll(']', '%5D')
}

function tidy(text: string): string {
  return text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
