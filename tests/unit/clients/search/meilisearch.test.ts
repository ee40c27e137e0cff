import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { openMeilisearch } from '../../../../src/clients/search/meilisearch/engine.ts'
import type { SearchQuery } from '../../../../src/clients/search/search-engine.ts'

const QUERY: SearchQuery = {
  text: 'stars',
  filter: { kind: 'all', of: [] },
  tags: [],
  sort: 'relevance',
  offset: 0,
  limit: 20,
  facets: [],
}

describe('what answers at MEILI_URL but is no sound Meilisearch', () => {
  let answer: () => Response | Promise<Response>
  let other: Bun.Server<undefined>
  beforeAll(() => {
    other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() })
  })
  afterAll(() => other.stop(true))

  test.each<[string, typeof answer]>([
    ['an error', () => Response.json({ message: 'broken', code: 'internal' }, { status: 500 })],
    ['a page of a proxy', () => new Response('<html>Bad gateway</html>', { status: 502 })],
    ['a refusal of the key', () => Response.json({ code: 'invalid_api_key' }, { status: 403 })],
    ['another program', () => new Response('<html>Welcome</html>')],
    ['something else', () => Response.json({ results: [] })],
    ['nothing', () => new Response()],
    ['never', () => new Promise(() => undefined)],
  ])('is a failure: %s', (_, given) => {
    answer = given
    const index = openMeilisearch({ url: other.url.origin, key: null })
    expect(index.search(QUERY)).rejects.toThrow()
  })
})
