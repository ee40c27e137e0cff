import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import type {
  Configuration,
  LibraryAsset,
  LibraryPage,
} from '../../../../src/features/asset-library/model.ts'
import {
  askLibrary,
  godot,
  type InsertedPackage,
  insertPackage,
  LIBRARY,
  offerPackages,
  readRaw,
  releasePackage,
} from '../../../helpers/files/packages.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import type { Person } from '../../../helpers/people.ts'
import { indexNow } from '../../../helpers/search/search.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let kit: InsertedPackage
beforeAll(async () => {
  ;[kit] = (await offerPackages(server, owner, {
    name: 'Grid Kit',
    description: '# Hello\n\nA **grid** with [brackets] and [a link](https://example.com/a).\n\n- one\n- two',
    website: 'https://grid.example',
  })) as [InsertedPackage]
})

const usernameOf = async (person: Person) =>
  (await readData<{ username: string }>(await person.fetch('/api/v1/private/me'))).username
const configure = async (query = '') =>
  await readRaw<Configuration>(await askLibrary(server, `/configure${query}`))
const search = async (query: string) =>
  await readRaw<LibraryPage>(await askLibrary(server, `/asset?${query}`))
const read = async (id: number | string) =>
  await readRaw<LibraryAsset>(await askLibrary(server, `/asset/${id}`))

describe('configure', () => {
  test('lists the categories of add-ons, ids as texts, and where to sign in', async () => {
    expect(await configure()).toEqual({
      categories: [
        { id: '1', name: '2D Tools', type: '0' },
        { id: '2', name: '3D Tools', type: '0' },
        { id: '3', name: 'Shaders', type: '0' },
        { id: '4', name: 'Materials', type: '0' },
        { id: '5', name: 'Tools', type: '0' },
        { id: '6', name: 'Scripts', type: '0' },
        { id: '7', name: 'Misc', type: '0' },
      ],
      login_url: `${server.deps.config.baseUrl}/account`,
    })
  })

  test('lists those of projects for the project manager, and all for type=any', async () => {
    const names = ({ categories }: Configuration) => categories.map(({ id, name }) => `${id} ${name}`)
    expect(names(await configure('?type=project'))).toEqual(['8 Templates', '9 Projects', '10 Demos'])
    expect(names(await configure('?type=any'))).toHaveLength(10)
  })
})

describe('a search', () => {
  test('returns raw rows with texts only, and numbers around them', async () => {
    const page = await search('godot_version=4.3')
    const { game, file } = kit
    expect(page).toEqual({
      result: [
        {
          asset_id: String(game.assetId),
          title: 'Grid Kit',
          author: await usernameOf(owner),
          author_id: expect.stringMatching(/^[1-9]\d*$/),
          category: 'Tools',
          category_id: '5',
          godot_version: '3.2',
          rating: '0',
          cost: 'cc0',
          support_level: 'community',
          icon_url: expect.stringMatching(/^http.*-icon\.png$/),
          version: '1',
          version_string: '1.0.0',
          modify_date: file.uploadedAt.toISOString().slice(0, 19).replace('T', ' '),
        },
      ],
      page: 0,
      pages: 1,
      page_length: 40,
      total_items: 1,
      total: 1,
    })
  })

  test('only returns categories that configure lists for the same type', async () => {
    await offerPackages(server, owner, { tags: ['template', 'grid', 'x'] }, { tags: ['demo', 'grid', 'y'] })
    for (const type of ['', 'type=project', 'type=any']) {
      const known = new Set((await configure(`?${type}`)).categories.map(({ id }) => id))
      const rows = (await search(type)).result
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.filter(({ category_id }) => !known.has(category_id))).toEqual([])
    }
  })

  test('never shows a page of the other type while the index is behind', async () => {
    const [{ game }] = (await offerPackages(server, owner, { name: 'Turncoat' })) as [InsertedPackage]
    const titles = async () => (await search('filter=turncoat')).result.map(({ title }) => title)
    expect(await titles()).toEqual(['Turncoat'])
    await server.deps.db
      .update(games)
      .set({ tags: ['project', 'grid', 'z'], updatedAt: new Date() })
      .where(eq(games.uid, game.uid))
    expect(await titles()).toEqual([])
  })

  test('answers 304 to the tag of an unchanged page', async () => {
    const first = await askLibrary(server, '/asset?filter=grid')
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    const again = await askLibrary(server, '/asset?filter=grid', { 'if-none-match': etag })
    expect(again.status).toBe(304)
  })
})

describe('one package', () => {
  test('has every field that editors require', async () => {
    const { game, file } = kit
    const asset = await read(game.assetId)
    const { baseUrl } = server.deps.config
    const [row] = (await search('filter=grid+kit')).result
    if (!row) throw new Error('The package was not found')
    expect(asset).toEqual({
      ...row,
      type: 'addon',
      description:
        '[b]Hello[/b]\n\nA [b]grid[/b] with [lb]brackets] and [url=https://example.com/a]a link[/url].\n\n• one\n• two',
      download_provider: 'Custom',
      download_commit: '',
      download_hash: file.checksum,
      download_url: `${baseUrl}${LIBRARY}/asset/${game.assetId}/download`,
      browse_url: `${baseUrl}/games/${game.vanityName}`,
      issues_url: 'https://grid.example',
      searchable: '1',
      previews: [
        {
          preview_id: '1',
          type: 'image',
          link: expect.stringMatching(/^http.*-large\.jpg$/),
          thumbnail: expect.stringMatching(/^http.*-small\.jpg$/),
        },
      ],
    })
    expect(asset.download_hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('shows a new stable file at once', async () => {
    const { game } = await insertPackage(server, owner, { name: 'Growing' })
    expect(await read(game.assetId)).toMatchObject({ version: '1', version_string: '1.0.0' })
    const newest = await releasePackage(server, game.uid, '1.1.0')
    expect(await read(game.assetId)).toMatchObject({
      version: '2',
      version_string: '1.1.0',
      download_hash: newest.checksum,
    })
  })

  test('keeps its number, which fits 32 bits, through every change', async () => {
    const { game } = await insertPackage(server, owner)
    const renamed = { vanityName: `renamed-${game.assetId}`, name: 'Renamed', updatedAt: new Date() }
    await server.deps.db.update(games).set(renamed).where(eq(games.uid, game.uid))
    expect((await read(game.assetId)).title).toBe('Renamed')
    expect(game.assetId).toBeGreaterThan(0)
    expect(game.assetId).toBeLessThan(2 ** 31)
  })

  test('is missing when unknown, hidden, adult, of another type, or without a clean file or engine', async () => {
    const missing = [
      await insertPackage(server, owner, { visibility: 'invisible' }),
      await insertPackage(server, owner, { adult: true, contentWarnings: ['gore'] }),
      await insertPackage(server, owner, { assetType: 'game' }),
      await insertPackage(server, owner, { engineCompat: [{ ...godot('1', '2'), engine: 'bevy' }] }),
      await insertPackage(server, owner, {}, { scan: 'infected' }),
    ].map(({ game }) => String(game.assetId))
    for (const id of [...missing, '2147483647', '2147483648', '99999999999', '0', '-1', 'abc', '1.5']) {
      const answer = await askLibrary(server, `/asset/${id}`)
      expect({ id, status: answer.status }).toEqual({ id, status: 404 })
      expect((await readFailure(answer)).code).toBe(4040)
    }
  })

  test('is gone at once when its page is hidden, from searches too', async () => {
    const [{ game }] = (await offerPackages(server, owner, { name: 'Vanishing' })) as [InsertedPackage]
    expect((await search('filter=vanishing')).result).toHaveLength(1)
    await read(game.assetId)
    const hidden = { visibility: 'invisible', updatedAt: new Date() } as const
    await server.deps.db.update(games).set(hidden).where(eq(games.uid, game.uid))
    expect((await search('filter=vanishing')).result).toEqual([])
    expect((await askLibrary(server, `/asset/${game.assetId}`)).status).toBe(404)
    await indexNow(server, game.uid)
    expect(await search('filter=vanishing')).toMatchObject({ total: 0, pages: 0 })
  })

  test('is found again when its page is shown again before the index noticed that it was hidden', async () => {
    const [{ game }] = (await offerPackages(server, owner, { name: 'Flickering' })) as [InsertedPackage]
    const show = (visibility: 'invisible' | 'public') =>
      server.deps.db.update(games).set({ visibility }).where(eq(games.uid, game.uid))
    await show('invisible')
    expect((await search('filter=flickering')).result).toEqual([])
    await show('public')
    expect((await search('filter=flickering')).result).toHaveLength(1)
  })
})

describe('the alias of editors up to 3.2', () => {
  test('answers like the library itself', async () => {
    for (const path of [
      '/configure',
      '/configure?type=project',
      '/asset?filter=grid+kit',
      `/asset/${kit.game.assetId}`,
    ]) {
      const [own, alias] = await Promise.all([
        askLibrary(server, path),
        askLibrary(server, path, {}, '/asset-library/api'),
      ])
      expect(await alias.json()).toEqual(await own.json())
    }
  })

  test('shows its errors as an envelope, also to a browser', async () => {
    const answer = await askLibrary(server, '/asset/1234567', { accept: 'text/html' }, '/asset-library/api')
    expect(answer.status).toBe(404)
    expect((await readFailure(answer)).code).toBe(4040)
  })
})
