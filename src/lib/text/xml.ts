/** Characters that XML 1.0 cannot contain, not even escaped. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

export function escapeXml(text: string): string {
  return Bun.escapeHTML(text.replace(FORBIDDEN, ''))
}

export const XML_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
