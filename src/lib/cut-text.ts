/** Without line breaks, control characters and halves of characters, none of which belong in a name. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

/** At most so long, ending with a whole word where there is one. */
export function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text
  const end = text.slice(0, max + 1).search(/\s\S*$/)
  const cut = end > 0 ? text.slice(0, end) : text.slice(0, max)
  // Not between the two halves of a character.
  return cut.trimEnd().replace(/[\ud800-\udbff]$/, '')
}

/** The same at the end of a paragraph, if that does not take away too much. */
export function cutMarkdown(text: string, max: number): string {
  if (text.length <= max) return text
  const end = text.lastIndexOf('\n\n', max)
  const cut = end > max / 2 ? text.slice(0, end) : cutAtWord(text, max)
  // A backslash without what it belongs to would be shown.
  return cut.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1')
}
