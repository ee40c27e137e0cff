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
