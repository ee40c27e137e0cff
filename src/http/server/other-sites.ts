const READING = new Set(['GET', 'HEAD'])
/** `none` stands for addresses that a person typed or opened from a mail program. */
const OWN = new Set(['same-origin', 'none'])

/**
 * Whether a page of another website made the browser send this. Browsers say so in a header, other programs
 * send none. A link that a person follows does not count.
 */
export function isFromOtherSite({ method, headers }: Request, ownOrigins: readonly string[]): boolean {
  const isReading = READING.has(method)
  const site = headers.get('sec-fetch-site')
  if (site !== null && !OWN.has(site)) return !(isReading && headers.get('sec-fetch-dest') === 'document')
  const origin = headers.get('origin')
  return !isReading && origin !== null && /^https?:/i.test(origin) && !ownOrigins.includes(origin)
}
