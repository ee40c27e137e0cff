import type { Transaction } from '../../../db/client.ts'
import type { StoreLinkValue } from '../../../db/schema/games/games.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { findChanged, invalidFields } from '../../../errors.ts'
import { httpsLink, list, parseBody, type Reader, record, textLike } from '../../../lib/field-readers.ts'
import { isHttpsUrl, LINK_MAX } from '../../../lib/net/urls.ts'
import { show } from '../../../lib/text/show.ts'
import { changeGame, markEdited, openGame } from '../../games/service.ts'
import type { StoreLink, StoreLinks } from './model.ts'
import { updateStoreLinks } from './queries.ts'
import { EXTERNAL_STORE, findStore, isOnStore, storePageOf, STORES } from './stores.ts'

export async function getStoreLinks(deps: Deps, user: WebsiteUser | Agent, ref: string): Promise<StoreLinks> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  return toStoreLinkLists(game.storeLinks)
}

export async function saveStoreLinks(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  body: unknown,
): Promise<StoreLinks> {
  return await changeGame(deps.db, user, ref, 'edit', async (tx, game) => {
    const links = parseStoreLinks(body)
    await updateStoreLinks(tx, game.uid, links)
    await markEdited(tx, game.uid)
    return toStoreLinkLists(links)
  })
}

/** Adds the app's page at the external store. The caller must have edit permission and hold the lock of the game. */
export async function linkStorePage(
  tx: Transaction,
  game: { uid: string; storeLinks: readonly StoreLinkValue[] },
  appId: number,
): Promise<void> {
  const { platform } = EXTERNAL_STORE
  const others = game.storeLinks.filter((link) => link.platform !== platform)
  await updateStoreLinks(tx, game.uid, [{ platform, url: storePageOf(appId) }, ...others])
}

/** Adds the names of the stores. */
export function toStoreLinks(values: readonly StoreLinkValue[]): StoreLink[] {
  return values.flatMap(({ platform, url }) => {
    const store = findStore(platform)
    return store ? [{ platform, label: store.label, url }] : []
  })
}

function toStoreLinkLists(values: readonly StoreLinkValue[]): StoreLinks {
  return {
    store_links: toStoreLinks(values),
    stores: STORES.map(({ platform, label, hosts }) => ({ platform, label, hosts: [...hosts] })),
  }
}

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
export function parseStoreLinks(body: unknown): StoreLinkValue[] {
  const links = parseBody(body, BODY, 'store_link_invalid').store_links
  const issues = links.flatMap((link, index) =>
    findChanged({ ...link }, { label: findStore(link.platform)?.label }, `store_links.${index}`),
  )
  if (issues.length > 0) throw invalidFields(issues)
  return links.map(({ platform, url }) => ({ platform, url }))
}

function withoutFragment(value: unknown): unknown {
  return typeof value === 'string' ? value.split('#', 1)[0] : value
}
