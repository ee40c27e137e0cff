/** For all links that people add to a page. */
export const LINK_MAX = 255

/**
 * No user name before the host, and nothing that parsers would repair: spaces, backslashes, a third slash.
 */
const HTTPS = /^https:\/\/[^\s\p{Cc}\\/?#@]+(?:[/?#][^\s\p{Cc}\\]*)?$/iu

export function isHttpsUrl(text: string, maxLength: number): boolean {
  return text.length <= maxLength && HTTPS.test(text) && URL.canParse(text)
}
