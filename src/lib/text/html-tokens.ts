import { Tokenizer } from 'htmlparser2'

export type HtmlToken =
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
export function readHtmlTokens(html: string): HtmlToken[] {
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
