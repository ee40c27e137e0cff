import { describe, expect, test } from 'bun:test'

import { games } from '../../../src/db/schema/games/games.ts'
import {
  listSitemapParts,
  loadSitemapPart,
  parseSitemapCursor,
} from '../../../src/features/catalog/pages/sitemap.ts'
import { insertPublicGame } from '../../helpers/listings.ts'
import { indexNow } from '../../helpers/search/search.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

describe('for search engines and feed readers', () => {
  test('robots are led to the sitemap and away from endless filters', async () => {
    const text = await (await server.fetch('/robots.txt')).text()
    expect(text).toContain(`Sitemap: ${server.deps.config.baseUrl}/sitemap.xml`)
    expect(text).toContain('Disallow: /search?')
  })

  test('the feed shows the newest, with hostile names escaped', async () => {
    const name = 'A <script>&"\u0001'
    const game = await insertPublicGame(server, owner, { name, tagline: ']]> <b>' })
    await indexNow(server, game.uid)
    const answer = await server.fetch('/feed.xml')
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    expect(text).toContain('<title>A &lt;script&gt;&amp;&quot;</title>')
    expect(text).toContain(`<id>urn:uuid:${game.uid}</id>`)
  })

  test('the sitemap holds what the API names, and a malformed part is refused', async () => {
    const game = await insertPublicGame(server, owner)
    const hidden = await insertPublicGame(server, owner, { indexable: false })
    const text = await (await server.fetch('/sitemap.xml')).text()
    expect(text).toContain(`<loc>${server.deps.config.baseUrl}/games/${game.vanityName}</loc>`)
    expect(text).not.toContain(hidden.vanityName)
    expect((await server.fetch('/sitemap.xml?part=x')).status).toBe(400)
  })

  test('past the size of one file it is an index of parts, which hold everything once', async () => {
    const many = Array.from({ length: 5001 }, (_, index) => ({
      ownerUid: owner.uid,
      assetType: 'game' as const,
      name: `Many ${index}`,
      vanityName: `many-${index}`,
      visibility: 'public' as const,
    }))
    for (let at = 0; at < many.length; at += 1000) {
      await server.deps.db.insert(games).values(many.slice(at, at + 1000))
    }
    const { deps } = server
    const starts = await listSitemapParts(deps, 5000)
    expect(starts).toHaveLength(2)
    const parts = await Promise.all(
      starts.map((start) => loadSitemapPart(deps, parseSitemapCursor(start), 5000)),
    )
    const urls = parts.flatMap(({ entries }) => entries.map(({ url }) => url))
    expect(new Set(urls).size).toBe(urls.length)
    expect(urls.filter((url) => url.includes('/games/many-'))).toHaveLength(many.length)
    expect(Math.max(...parts.map(({ entries }) => entries.length))).toBeLessThanOrEqual(5000)
  })
})
