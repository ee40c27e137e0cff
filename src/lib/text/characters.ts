/** Counts characters as people do: an emoji is one, not the two units it is stored as. */
export function countCharacters(text: string): number {
  return Array.from(text).length
}

/** Removes line breaks, control characters and unpaired surrogates, none of which belong in a name. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

/** Cuts to at most `max`, after a whole word if possible. */
export function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text
  const end = text.slice(0, max + 1).search(/\s\S*$/)
  const cut = end > 0 ? text.slice(0, end) : text.slice(0, max)
  // Never split a surrogate pair.
  return cut.trimEnd().replace(/[\ud800-\udbff]$/, '')
}

/** Like `cutAtWord`, but ends at a paragraph if that does not cut too much. */
export function cutMarkdown(text: string, max: number): string {
  if (text.length <= max) return text
  const end = text.lastIndexOf('\n\n', max)
  const cut = end > max / 2 ? text.slice(0, end) : cutAtWord(text, max)
  // A trailing backslash with nothing to escape would be shown.
  return cut.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1')
}

/** Control characters, line separators, and characters that reorder or hide text; not line break and tab. */
const STEERING = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Bidi_Control}\u00AD\u200B\u2060-\u2064\uFEFF]/gu

/** Most texts; the test takes a tenth of the time. */
const PLAIN = /^[ -~\n]*$/

/**
 * Escapes characters that control a terminal or disguise text. Use it before printing other people's text.
 */
export function toPrintable(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(STEERING, escape)
}

/** The same for text that must stay on its line. */
export function toPrintableLine(text: string): string {
  return toPrintable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/** Valid inside JSON texts too, where it means the same character. */
function escape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}
