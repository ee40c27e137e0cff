import { beforeAll, describe, expect, test } from 'bun:test'

import { oldVanityNames } from '../../../src/db/schema/games/games.ts'
import { insertGame, insertPublicGame, verifyEmail } from '../../helpers/listings.ts'
import { readPage } from '../../helpers/site/read-page.ts'
import { publishListing } from '../../helpers/store-listing.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

beforeAll(async () => {
  await verifyEmail(server, owner)
})

const oembedOf = (path: string, more = '') =>
  server.fetch(`/oembed?url=${encodeURIComponent(server.url + path)}${more}`)

describe('an embed', () => {
  test('shows picture, name, price and one link in any website, without script or cookie', async () => {
    const { path, game } = await publishListing(server, owner, { name: 'Lantern <i>Keeper</i>' })
    const answer = await server.fetch(`/embed/${game.vanityName}`)
    const html = await answer.text()
    expect(answer.status).toBe(200)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain('frame-ancestors *')
    expect(policy).not.toContain('script-src')
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(answer.headers.get('vary')).not.toContain('Cookie')
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(html).not.toContain('<script')
    expect(html).toContain('Lantern &lt;i>Keeper&lt;/i>')
    expect(html).toContain('<img src="/media/')
    expect(html).toContain('>Free<')
    expect(html).toContain(`class="embed-button" href="${server.url}${path}" target="_blank" rel="noopener"`)
  })

  test('is the same for somebody who is signed in', async () => {
    const { game } = await publishListing(server, owner)
    const path = `/embed/${game.vanityName}`
    expect(await (await owner.fetch(path)).text()).toBe(await (await server.fetch(path)).text())
  })

  test('follows a new name', async () => {
    const game = await insertPublicGame(server, owner)
    const name = `once-${game.uid}`.slice(0, 20)
    await server.deps.db.insert(oldVanityNames).values({ name, gameUid: game.uid })
    const answer = await server.fetch(`/embed/${name}`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([301, `/embed/${game.vanityName}`])
    const badge = await server.fetch(`/embed/${name}/badge.svg`, { redirect: 'manual' })
    expect(badge.headers.get('location')).toBe(`/embed/${game.vanityName}/badge.svg`)
    expect((await oembedOf(`/games/${name}`)).status).toBe(200)
  })
})

describe('a badge', () => {
  test('is a picture of its own, with name, store and price', async () => {
    const game = await insertPublicGame(server, owner, { name: 'Moths & <Lamps>', priceCents: 999 })
    const answer = await server.fetch(`/embed/${game.vanityName}/badge.svg`)
    const svg = await answer.text()
    expect(answer.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(svg).toContain('<title>Moths &amp; &lt;Lamps&gt; on Playshelf: $9.99</title>')
    expect(svg).not.toMatch(/<script|href|url\((?!#c)/)
  })
})

describe('oEmbed', () => {
  test('describes a listing by the address of any of its pages, and its page says where', async () => {
    const { path, game } = await publishListing(server, owner, { name: 'Lantern "Keeper"' })
    const html = await readPage(server, path)
    const [, href = ''] = /type="application\/json\+oembed"[^>]*href="([^"]+)"/.exec(html) ?? []
    expect(href).toBe(`${server.url}/oembed?url=${encodeURIComponent(server.url + path)}`)
    for (const tail of ['', '/reviews', '/press']) {
      const answer = await oembedOf(path + tail)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(await answer.json()).toMatchObject({
        version: '1.0',
        type: 'rich',
        title: 'Lantern "Keeper"',
        provider_name: 'Playshelf',
        width: 480,
        height: 180,
        thumbnail_width: expect.any(Number),
        html: expect.stringContaining(`<iframe src="${server.url}/embed/${game.vanityName}"`),
      })
    }
    const { html: code } = (await (await oembedOf(path)).json()) as { html: string }
    expect(code).toContain('title="Lantern &quot;Keeper&quot; on Playshelf"')
  })

  test('keeps within the bounds of who asks, and answers XML', async () => {
    const { path } = await publishListing(server, owner, { name: 'A & B' })
    expect(await (await oembedOf(path, '&maxwidth=400&maxheight=150')).json()).toMatchObject({
      width: 400,
      height: 150,
    })
    expect(await (await oembedOf(path, '&maxwidth=-1&maxheight=x')).json()).toMatchObject({ width: 480 })
    for (const [bounds, width, height] of [
      ['&maxwidth=200', 200, Infinity],
      ['&maxheight=100', Infinity, 100],
      ['&maxwidth=1&maxheight=1', 1, 1],
      ['&maxwidth=400', 400, Infinity],
    ] as const) {
      const answer = (await (await oembedOf(path, bounds)).json()) as Record<string, string | number>
      const isRich = width === 400
      expect(answer).toMatchObject({ version: '1.0', type: isRich ? 'rich' : 'link', title: 'A & B' })
      expect('html' in answer).toBe(isRich)
      for (const side of ['width', 'thumbnail_width']) expect(answer[side] ?? 0).toBeLessThanOrEqual(width)
      for (const side of ['height', 'thumbnail_height']) expect(answer[side] ?? 0).toBeLessThanOrEqual(height)
    }
    const { thumbnail_url } = (await (await oembedOf(path, '&maxwidth=400')).json()) as {
      thumbnail_url: string
    }
    expect(thumbnail_url).toEndWith('-small.jpg')
    const picture = await server.fetch(new URL(thumbnail_url).pathname)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    const xml = await oembedOf(path, '&format=xml')
    expect(xml.headers.get('content-type')).toContain('text/xml')
    expect(await xml.text()).toContain('<title>A &amp; B</title>')
    expect((await oembedOf(path, '&format=yaml')).status).toBe(501)
  })

  test('knows nothing of other addresses', async () => {
    for (const url of ['', 'nonsense', 'https://elsewhere.example/games/x', `${server.url}/rules`]) {
      expect((await server.fetch(`/oembed?url=${encodeURIComponent(url)}`)).status).toBe(404)
    }
    expect((await server.fetch('/oembed')).status).toBe(404)
  })
})

describe('what guests may not see', () => {
  test('is missing in embeds, badges and oEmbed, also for its owner', async () => {
    const hidden = [
      await insertGame(server, owner, { visibility: 'draft' }),
      await insertPublicGame(server, owner, { adult: true }),
    ]
    for (const { vanityName } of hidden) {
      for (const path of [`/embed/${vanityName}`, `/embed/${vanityName}/badge.svg`]) {
        const mine = await owner.fetch(path)
        const missing = await server.fetch(path.replace(vanityName, 'no-such-page'))
        expect([path, (await server.fetch(path)).status, mine.status]).toEqual([path, 404, 404])
        expect(missing.status).toBe(404)
      }
      expect((await oembedOf(`/games/${vanityName}`)).status).toBe(404)
    }
  })

  test('leaves embeds as soon as it is hidden', async () => {
    const game = await insertPublicGame(server, owner)
    const path = `/embed/${game.vanityName}`
    expect((await server.fetch(path)).status).toBe(200)
    await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'draft' })
    expect((await server.fetch(path)).status).toBe(404)
  })
})

describe('the tab Press', () => {
  test('has the lines to copy once the page is open', async () => {
    const draft = await insertGame(server, owner, { visibility: 'draft' })
    const { game } = await publishListing(server, owner)
    const open = (vanityName: string) => readPage(owner, `/studio/${vanityName}/press`)
    const text = await open(game.vanityName)
    expect(text).toContain(`&lt;iframe src=&quot;${server.url}/embed/${game.vanityName}&quot;`)
    expect(text).toContain(`/embed/${game.vanityName}/badge.svg`)
    expect(await open(draft.vanityName)).toContain('It can be embedded once its page is open.')
  })
})
