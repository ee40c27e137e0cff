/** For every link that people put on a page. */
export const LINK_MAX = 255

/** No user before the host, and nothing a parser would have to mend: spaces, backslashes, a third slash. */
const HTTPS = /^https:\/\/[^\s\p{Cc}\\/?#@]+(?:[/?#][^\s\p{Cc}\\]*)?$/iu

export function isHttpsUrl(text: string, maxLength: number): boolean {
  return text.length <= maxLength && HTTPS.test(text) && URL.canParse(text)
}
