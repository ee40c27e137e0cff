/** Control characters, line separators, and characters that reorder or hide text; not line break and tab. */
const STEERING = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Bidi_Control}\u00AD\u200B\u2060-\u2064\uFEFF]/gu

/** Writes characters that steer a terminal or disguise text as escapes. Text of others passes here before it is shown. */
export function toPrintable(text: string): string {
  return text.replaceAll(STEERING, escape)
}

/** The same for text that must stay on its line. */
export function toPrintableLine(text: string): string {
  return toPrintable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/** Valid inside JSON texts too, where it means the same character. */
function escape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}
