import type { Transaction } from '../../../db/client.ts'
import { type StoreLinkValue } from '../../../db/schema/games/games.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { lockGame, markEdited, openGame } from '../../games/service.ts'
import type { StoreLink, StoreLinks } from './model.ts'
import { updateStoreLinks } from './queries.ts'
import { readStoreLinks } from './read-links.ts'
import { EXTERNAL_STORE, findStore, storePageOf, STORES } from './stores.ts'

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
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, user, ref, 'edit')
    const links = readStoreLinks(body)
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
