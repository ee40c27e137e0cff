import { afterEach, describe, expect, test } from 'bun:test'

import { ApiClient } from '../../../src/cli/api/client.ts'
import { fetchProject, nameServer } from '../../../src/cli/api/project.ts'
import { Retry } from '../../../src/cli/api/retry.ts'

const KEY = { accessToken: 'token-of-the-game', secretKey: 'secret-of-the-game' }

let server: Bun.Server<unknown> | null = null
afterEach(() => server?.stop(true))

/** A client of a server with these routes. */
function serve(routes: Record<string, (request: Request) => Response>): { api: ApiClient; url: string } {
  server = Bun.serve({
    port: 0,
    fetch(request) {
      const route = routes[new URL(request.url).pathname]
      return route?.(request) ?? fail(404, 4040)
    },
  })
  const { signal } = new AbortController()
  const url = `http://127.0.0.1:${server.port}`
  const clock = { now: () => performance.now(), sleep: async () => undefined }
  return { api: new ApiClient(url, new Retry({ giveUpAfterMs: 30_000, signal, clock }), signal, KEY), url }
}

const fail = (status: number, code: number) =>
  Response.json({ success: false, error: { code, message: 'No.' } }, { status })
const ok = (data: unknown) => Response.json({ success: true, data })

describe('the client', () => {
  test('repeats what fails for reasons that pass', async () => {
    let calls = 0
    const { api } = serve({ '/x': () => ((calls += 1) < 3 ? fail(503, 5031) : ok({ calls })) })
    expect(await api.call<{ calls: number }>('/x')).toEqual({ calls: 3 })
  })

  test('exits with 3 for a refused key and 4 for other refusals, with the code', async () => {
    const { api } = serve({ '/key': () => fail(401, 4023), '/field': () => fail(400, 4041) })
    expect(api.call('/key')).rejects.toMatchObject({ exit: 'credentials', code: 4023 })
    expect(api.call('/field')).rejects.toMatchObject({ exit: 'refused', code: 4041 })
  })

  test('takes the key to no other host', async () => {
    let isAsked = false
    const other = Bun.serve({ port: 0, fetch: () => ((isAsked = true), ok({})) })
    const { api } = serve({ '/x': () => Response.redirect(`http://127.0.0.1:${other.port}/`, 302) })
    expect(api.call('/x')).rejects.toThrow('redirects')
    await api.call('/x').catch(() => undefined)
    expect(isAsked).toBe(false)
    await other.stop(true)
  })

  test('says so when the address is not a store', async () => {
    const { api } = serve({ '/x': () => new Response('<html>', { status: 200 }) })
    expect(api.call('/x')).rejects.toThrow('not one that shelf can read')
  })

  test('names the store before its address, and an older one by its address alone', async () => {
    const named = serve({ '/api/v1/public/store': () => ok({ name: 'متجر 🏮 Lantern\u001B[31m' }) })
    const shown = await nameServer(named.api, named.url)
    expect(shown).toStartWith('متجر 🏮 Lantern')
    expect(shown).toEndWith(` (${named.url})`)
    expect(shown).not.toContain('\u001B')
    const older = serve({})
    expect(await nameServer(older.api, older.url)).toBe(older.url)
  })

  test('works with a store that has no route for its project', async () => {
    const { api, url } = serve({ '/api/v1/tool/upload/builds': () => ok({ items: [], total: 0 }) })
    expect(await fetchProject(api, 'moss-garden')).toMatchObject({
      upload_url: url,
      vanity_name: 'moss-garden',
    })
  })
})
