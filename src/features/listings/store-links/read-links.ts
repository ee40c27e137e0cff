import type { StoreLinkValue } from '../../../db/schema/games/games.ts'
import { invalidFields } from '../../../errors.ts'
import { httpsLink, list, readBody, type Reader, record, textLike } from '../../../lib/field-readers.ts'
import { isHttpsUrl, LINK_MAX } from '../../../lib/net/urls.ts'
import { findChanged } from '../../../lib/read-only.ts'
import { show } from '../../../lib/text/show.ts'
import { findStore, isOnStore, STORES } from './stores.ts'

type SentLink = StoreLinkValue & { label: unknown }

const LINK = record<SentLink>({
  platform: textLike(
    `one of ${STORES.map(({ platform }) => platform).join(', ')}`,
    (given) => findStore(given) !== undefined,
  ),
  url: (value, path, report) => httpsLink(withoutFragment(value), path, report),
  label: (value) => value,
})

/** A valid link that points to the store it names. */
const STORE_LINK: Reader<SentLink> = (value, path, report) => {
  const link = LINK(value, path, report)
  const store = findStore(link.platform)
  if (store && isHttpsUrl(link.url, LINK_MAX) && !isOnStore(link.url, store)) {
    report([...path, 'url'], `must point to ${store.hosts.join(' or ')}, not to ${show(link.url)}.`)
  }
  return link
}

/** One link per store, in the order sent. */
const STORE_LINKS: Reader<SentLink[]> = (value, path, report) => {
  const links = list(STORES.length, STORE_LINK)(value, path, report)
  const seen = new Set<string>()
  for (const [index, { platform }] of links.entries()) {
    if (seen.has(platform))
      report([...path, index, 'platform'], `repeats ${platform}; send one link per store.`)
    seen.add(platform)
  }
  return links
}

const BODY = record<{ store_links: SentLink[] }>({ store_links: STORE_LINKS })

/** The links in their stored form; every error is 4238, except a label other than the store's. */
export function readStoreLinks(body: unknown): StoreLinkValue[] {
  const links = readBody(body, BODY, 'store_link_invalid').store_links
  const issues = links.flatMap((link, index) =>
    findChanged({ ...link }, { label: findStore(link.platform)?.label }, `store_links.${index}`),
  )
  if (issues.length > 0) throw invalidFields(issues)
  return links.map(({ platform, url }) => ({ platform, url }))
}

function withoutFragment(value: unknown): unknown {
  return typeof value === 'string' ? value.split('#', 1)[0] : value
}
