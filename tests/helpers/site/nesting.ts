import { Parser } from 'htmlparser2'

/** Elements that HTML allows only texts and inline elements in. */
const INLINE_ONLY = new Set([
  'p',
  'span',
  'code',
  'em',
  'strong',
  'a',
  'button',
  'label',
  'summary',
  'pre',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
])
const BLOCKS = new Set([
  'address',
  'article',
  'aside',
  'blockquote',
  'details',
  'dl',
  'div',
  'fieldset',
  'figure',
  'footer',
  'form',
  'header',
  'hr',
  'main',
  'nav',
  'ol',
  'p',
  'pre',
  'section',
  'table',
  'ul',
])

/** Lists the block elements of a page that stand inside an inline one, each as `span > ul`. */
export function findMisplaced(page: string): string[] {
  const open: string[] = []
  const misplaced: string[] = []
  const parser = new Parser({
    onopentagname(name) {
      const outside = open.findLast((other) => INLINE_ONLY.has(other))
      if (BLOCKS.has(name) && outside !== undefined) misplaced.push(`${outside} > ${name}`)
      open.push(name)
    },
    onclosetag() {
      open.pop()
    },
  })
  parser.end(page)
  return misplaced
}
