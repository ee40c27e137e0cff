import { sha256Hex } from '../bytes/hash.ts'
import { BoundedCache } from '../cache/bounded-cache.ts'
import { parseLocalPath } from '../net/urls.ts'

const OPTIONS = { noHtmlBlocks: true, noHtmlSpans: true, autolinks: { url: true } } as const
const HTML_MAX = 1_000_000
const ESCAPED_TICKS_MAX = 1000
const TABLE_CELLS_MAX = 20_000

/** Matches a line that opens 100 quotes or lists at once. */
const DEEP_NESTING = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){100}/m
const TABLE_RULE = /^[-:|> \t]+$/

/** Text without any of these renders as it was written, apart from spaces and line breaks. */
const MARKUP = /[\\`*_~[\]<>&|\0]/
const MARKED_LINE = /^[^\S\r\n]*(?:[-+=#:]|\d{1,9}[.)])/m

const BLOCKS = /^(?:p|h[1-6]|blockquote|[uo]l|li|pre|hr|br|table|thead|tbody|t[rhd])$/
const SPANS = /^(?:code|strong|em|del)$/
const LINK = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu
const PICTURE = /^https:\/\/[^\s\p{Cc}]+$/iu

const RENDERED_BYTES = 32 * 1024 ** 2
/** Shorter texts are rendered about as fast as they are hashed. */
const REMEMBERED_MIN = 500

interface Rendered {
  html: string
  /** The visible text; null until it is asked for. */
  text: string | null
}

/** Keyed by a hash of the text and `ownUrl`. */
const rendered = new BoundedCache<Rendered>({
  maxBytes: RENDERED_BYTES,
  bytesOf: ({ html }) => html.length * 4,
})

/**
 * Renders untrusted Markdown as HTML without active content. Text that would take too long is shown as it was
 * written. `ownUrl` is the store's address, for texts of its operators, whose links may be paths of the
 * store.
 */
export function renderMarkdown(text: string, ownUrl: string | null = null): string {
  return render(text, ownUrl).html
}

/** The visible text, without Markdown syntax. */
export function textOfMarkdown(text: string): string {
  if (!MARKUP.test(text) && !MARKED_LINE.test(text)) return joinLines(text)
  const known = render(text, null)
  return (known.text ??= joinLines(unescapeHtml(stripTags(known.html))))
}

function render(text: string, ownUrl: string | null): Rendered {
  const isLong = text.length >= REMEMBERED_MIN
  const key = isLong ? sha256Hex(`${ownUrl ?? ''}\n${text}`) : ''
  const known = isLong ? rendered.get(key) : undefined
  if (known) return known
  const html = parse(text)
  const made: Rendered = {
    html: html === null ? `<pre>${Bun.escapeHTML(text)}</pre>\n` : rebuild(html, ownUrl),
    text: null,
  }
  if (isLong) rendered.set(key, made)
  return made
}

function joinLines(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/g, ' ').trim()
}

function stripTags(html: string): string {
  return html.replace(/<\/?([a-z1-6]+)[^>]*>/g, (_, name: string) => (BLOCKS.test(name) ? ' ' : ''))
}

/** Returns null for text designed to slow the parser down or to blow up its output. */
function parse(text: string): string | null {
  if (DEEP_NESTING.test(text) || text.split('\\`').length > ESCAPED_TICKS_MAX) return null
  const html = Bun.markdown.html(text, { ...OPTIONS, tables: hasSmallTables(text) })
  return html.length > HTML_MAX ? null : html
}

/**
 * The parser pads rows to the width of their table, so a wide head over many short rows would grow a
 * thousandfold.
 */
function hasSmallTables(text: string): boolean {
  const lines = text.split(/\r\n?|\n/)
  const rules = lines.filter((line) => TABLE_RULE.test(line))
  const columns = rules.reduce((widest, rule) => Math.max(widest, rule.split('|').length), 0)
  return columns * lines.length <= TABLE_CELLS_MAX
}

/**
 * Replaces every tag of the parser with one built here, or drops it. The output then has no other `<`,
 * whatever the parser lets through.
 */
function rebuild(html: string, ownUrl: string | null): string {
  let isInLink = false
  return html.replace(/<(\/?)([a-z1-6]*)([^>]*)>?/g, (_, slash: string, name: string, attributes: string) => {
    if (name === 'a') {
      const wasInLink = isInLink
      const href = slash ? '' : resolveLink(parseAttribute(attributes, 'href'), ownUrl)
      isInLink = LINK.test(href)
      if (slash) return wasInLink ? '</a>' : ''
      return isInLink ? openLink(href) : ''
    }
    if (name === 'img') {
      const alt = parseAttribute(attributes, 'alt')
      return isInLink ? Bun.escapeHTML(alt) : linkToPicture(parseAttribute(attributes, 'src'), alt)
    }
    if (name === 'input') return / checked/.test(attributes) ? '☑ ' : '☐ '
    if (!BLOCKS.test(name) && !SPANS.test(name)) return ''
    return `<${slash}${name}${slash ? '' : layoutOf(name, attributes)}>`
  })
}

function resolveLink(href: string, ownUrl: string | null): string {
  const path = ownUrl === null ? null : parseLocalPath(href)
  return path === null ? href : `${ownUrl}${path}`
}

function openLink(href: string): string {
  return `<a href="${Bun.escapeHTML(href)}" rel="nofollow ugc noopener">`
}

/** Links instead of embedding: loading an image from another server would reveal the reader to it. */
function linkToPicture(src: string, alt: string): string {
  return PICTURE.test(src) ? `${openLink(src)}${Bun.escapeHTML(alt || 'Picture')}</a>` : Bun.escapeHTML(alt)
}

/** Keeps the two attributes that change the meaning of the text. */
function layoutOf(name: string, attributes: string): string {
  const pattern =
    name === 'ol' ? / start="\d{1,9}"/ : /^t[hd]$/.test(name) ? / align="(?:left|center|right)"/ : null
  return pattern?.exec(attributes)?.[0] ?? ''
}

function parseAttribute(attributes: string, name: string): string {
  return unescapeHtml(new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')
}

const ESCAPES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/** The parser resolves entities itself and escapes only these. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (entity, name: string) => ESCAPES[name] ?? entity)
}
