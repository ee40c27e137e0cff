import { decodeEntities } from './html-entities.ts'

export type HtmlToken =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: string }
  | { kind: 'close'; name: string }

/** What is inside these is nothing to read. */
const SKIPPED = new Set([
  ...['script', 'style', 'iframe', 'noscript', 'object', 'svg', 'template', 'video', 'audio', 'head'],
])
const TAG_NAME = /\/?[a-z][a-z0-9]*/iy

/** The pieces of an HTML text in order, in one pass, however broken it is. A tag without an end swallows the rest. */
export function* readHtmlTokens(html: string): Generator<HtmlToken> {
  let at = 0
  while (at < html.length) {
    const mark = html.indexOf('<', at)
    const textEnd = mark === -1 ? html.length : mark
    if (textEnd > at) yield textOf(html.slice(at, textEnd))
    if (mark === -1) return
    const next = html[mark + 1] ?? ''
    if (next === '!' || next === '?') at = endOfRemark(html, mark)
    else if (/[a-z/]/i.test(next)) {
      const tag = readTag(html, mark)
      if (!tag) return
      yield tag.token
      at = tag.token.kind === 'open' && SKIPPED.has(tag.token.name) ? skip(html, tag) : tag.end
    } else {
      yield { kind: 'text', text: '<' }
      at = mark + 1
    }
  }
}

/** The value without quotes and entities; empty where there is none. */
export function readAttribute(attributes: string, name: string): string {
  const pattern = new RegExp(`(?:^|[\\s"'/])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i')
  const [, double, single, bare] = pattern.exec(attributes) ?? []
  return decodeEntities(double ?? single ?? bare ?? '').trim()
}

function textOf(text: string): HtmlToken {
  return { kind: 'text', text: decodeEntities(text) }
}

/** Comments, and what begins like one. */
function endOfRemark(html: string, mark: number): number {
  const end = html.startsWith('<!--', mark) ? '-->' : '>'
  const at = html.indexOf(end, mark + 2)
  return at === -1 ? html.length : at + end.length
}

interface Tag {
  token: HtmlToken & { name: string }
  end: number
}

function readTag(html: string, mark: number): Tag | null {
  TAG_NAME.lastIndex = mark + 1
  const written = TAG_NAME.exec(html)?.[0] ?? '/'
  const start = mark + 1 + written.length
  const end = findTagEnd(html, start)
  if (end === -1) return null
  const name = written.replace('/', '').toLowerCase()
  const token = written.startsWith('/')
    ? ({ kind: 'close', name } as const)
    : ({ kind: 'open', name, attributes: html.slice(start, end) } as const)
  return { token, end: end + 1 }
}

/** A quote begins a value only after an equals sign; inside a value a tag does not end. */
function findTagEnd(html: string, from: number): number {
  let quote = ''
  let expectsValue = false
  for (let at = from; at < html.length; at += 1) {
    const char = html.charAt(at)
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '>') return at
    else if (expectsValue && (char === '"' || char === "'")) quote = char
    if (quote === '' && char.trim() !== '') expectsValue = char === '='
  }
  return -1
}

function skip(html: string, { token, end }: Tag): number {
  const closing = new RegExp(`</${token.name}(?![a-z0-9])`, 'gi')
  closing.lastIndex = end
  return closing.exec(html)?.index ?? html.length
}
