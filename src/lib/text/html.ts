import { renderMarkdown } from './markdown.ts'

/** Markup that is already escaped; all other values are escaped when a template inserts them. */
export class Html {
  constructor(readonly markup: string) {}
}

type Value = Html | string | number | false | null | undefined | readonly Value[]

export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(render)))
}

export function markdown(text: string): Html {
  return new Html(renderMarkdown(text))
}

/** Indented JSON with markup for syntax colours. */
export function json(value: unknown): Html {
  const text = Bun.escapeHTML(JSON.stringify(value, null, 2))
  const marked = text.replace(
    /(&quot;(?:[^&\\]|\\.|&(?!quot;))*?&quot;)(\s*:)?|\b(true|false|null)\b|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi,
    (match, quoted?: string, colon?: string, word?: string) => {
      if (quoted !== undefined) {
        return colon === undefined ? span('text', quoted) : `${span('key', quoted)}${colon}`
      }
      return span(word === undefined ? 'number' : 'word', match)
    },
  )
  return new Html(`<code>${marked}</code>`)
}

function span(kind: string, text: string): string {
  return `<span class="j-${kind}">${text}</span>`
}

function render(value: Value): string {
  if (value instanceof Html) return value.markup
  if (value === false || value === null || value === undefined) return ''
  if (typeof value === 'object') return value.map(render).join('')
  return Bun.escapeHTML(String(value))
}
