import { Parser } from 'htmlparser2'

const RTL = /\p{Script=Arabic}|\p{Script=Hebrew}/u
/** Never part of a line that is read from left to right: not shown, or one value of its own. */
const APART = new Set(['head', 'title', 'script', 'style', 'option', 'textarea', 'pre', 'template'])
const EMPTY = new Set(['input', 'img', 'br', 'hr', 'meta', 'link', 'source', 'wbr', 'path', 'circle', 'rect'])

interface Open {
  name: string
  isIsolated: boolean
}

/**
 * Lists the texts of a page in scripts from right to left that no element keeps apart from the English around them:
 * a `bdi`, or one with `dir`. Texts for screen readers alone, and initials instead of pictures, lie outside of the line.
 */
export function findUnisolated(page: string): string[] {
  const open: Open[] = []
  const found: string[] = []
  const parser = new Parser({
    onopentag(name, { dir, class: classes = '', 'aria-hidden': isHidden }) {
      if (EMPTY.has(name)) return
      const isApart =
        APART.has(name) || isHidden === 'true' || /(?:^| )(?:visually|embed)-hidden(?: |$)/.test(classes)
      open.push({ name, isIsolated: name === 'bdi' || dir !== undefined || isApart })
    },
    ontext(text) {
      if (!RTL.test(text) || open.some(({ isIsolated }) => isIsolated)) return
      found.push(`${open.map(({ name }) => name).join(' > ')}: ${text.trim()}`)
    },
    onclosetag(name) {
      if (open.at(-1)?.name === name) open.pop()
    },
  })
  parser.end(page)
  return found
}
