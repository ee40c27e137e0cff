import { t } from 'elysia'

import { writable } from '../../../http/input/schema.ts'

export const StoreLink = t.Object(
  {
    platform: t.String({ examples: ['store_01'] }),
    label: t.String({ examples: ['Steam'] }),
    url: t.String({ examples: ['https://store.steampowered.com/app/620/'] }),
  },
  { $id: 'StoreLink' },
)
export type StoreLink = typeof StoreLink.static

const Store = t.Object({
  platform: t.String(),
  label: t.String(),
  hosts: t.Array(t.String({ description: '`*.host` stands for every subdomain.' })),
})

export const StoreLinks = t.Object({ store_links: t.Array(StoreLink), stores: t.Array(Store) })
export type StoreLinks = typeof StoreLinks.static

/** The service validates the links themselves, because those errors have a code of their own. */
export const StoreLinksEdit = writable(
  t.Object({ store_links: t.Unknown({ error: 'must be a list of links' }) }),
  StoreLinks,
  { refusal: 'store_link_invalid' },
)
