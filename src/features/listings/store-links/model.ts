import { t } from 'elysia'

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
