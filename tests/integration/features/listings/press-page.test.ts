import { beforeAll, describe, expect, test } from 'bun:test'

import { changelogEntries, images, pressKits, videos } from '../../../../src/db/schema/games/game-pages.ts'
import { oldVanityNames } from '../../../../src/db/schema/games/games.ts'
import { EMPTY_PRESS_KIT } from '../../../../src/domain/listings/press-kit.ts'
import { readData, readJson } from '../../../helpers/json.ts'
import { insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp, unnamed, usernameOf } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let bearers: Record<'owner' | 'player' | 'adult', Record<string, string>>
beforeAll(async () => {
  const adult = await signUp(server)
  await adult.json('PATCH', '/api/v1/private/me', { adult_content: true })
  bearers = {
    owner: await makeBearer(owner),
    player: await makeBearer(await signUp(server)),
    adult: await makeBearer(adult),
  }
})

async function makeBearer(person: Person): Promise<Record<string, string>> {
  const answer = await person.json('POST', '/api/v1/private/player-keys', { label: 'Reader' })
  return { authorization: `Bearer ${(await readData<{ key: string }>(answer)).key}` }
}

const pathOf = (ref: string, page: string) => `/api/v1/public/games/${ref}/${page}`
const PAGES = ['press', 'press.zip'] as const

/** All that may differ between two answers of the same meaning is taken out. */
async function readAll(answer: Response): Promise<unknown> {
  const headers = Object.fromEntries(answer.headers)
  for (const name of ['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset']) delete headers[name]
  return { status: answer.status, headers, body: await answer.text() }
}

describe('the press factsheet', () => {
  test('shows the kit, what the listing says about itself, its images and newest changes', async () => {
    const game = await insertGame(server, owner, {
      visibility: 'public',
      description: 'A **lighthouse**.',
      status: 'released',
      languages: [{ language: 'pt-BR', interface: true, audio: false, subtitles: false }],
    })
    const kit = {
      ...EMPTY_PRESS_KIT,
      website: 'https://studio.example.org/',
      history: '*Once* <script>',
      awards: ['Best of Show'],
    }
    await server.deps.db.insert(pressKits).values({ gameUid: game.uid, kit })
    const picture = { gameUid: game.uid, width: 640, height: 360, size: 10 }
    await server.deps.db.insert(images).values([
      { ...picture, kind: 'gallery', objectKey: 'images/second.webp', position: 2 },
      { ...picture, kind: 'cover', objectKey: 'images/cover.webp' },
      { ...picture, kind: 'gallery', objectKey: 'images/first.webp', position: 1 },
      { ...picture, kind: 'thumbnail', objectKey: 'images/thumbnail.webp' },
    ])
    for (const title of ['1', '2', '3', '4', '5', '6']) {
      await server.deps.db.insert(changelogEntries).values({ gameUid: game.uid, title, body: 'Fixed.' })
    }

    const link = { kind: 'link', url: 'https://vimeo.com/1', provider: 'vimeo' } as const
    await server.deps.db.insert(videos).values({ gameUid: game.uid, ...link })

    const answer = await server.fetch(pathOf(game.vanityName, 'press'))
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60, must-revalidate')
    expect(answer.headers.get('x-robots-tag')).toBeNull()
    const imageNamed = (name: string) => expect.objectContaining({ url: `${server.url}/media/${name}.webp` })
    expect(await readData<unknown>(answer)).toEqual({
      ...kit,
      history_html: '<p><em>Once</em> &lt;script&gt;</p>\n',
      uid: game.uid,
      vanity_name: game.vanityName,
      name: game.name,
      tagline: 'Repair the stars.',
      description: 'A **lighthouse**.',
      description_html: '<p>A <strong>lighthouse</strong>.</p>\n',
      asset_type: 'game',
      other_apps: [],
      status: 'released',
      developer: { uid: owner.uid, ...unnamed(await usernameOf(owner)) },
      url: `${server.url}/games/${game.vanityName}`,
      platforms: [],
      cover: imageNamed('cover'),
      thumbnail: imageNamed('thumbnail'),
      gallery: [imageNamed('first'), imageNamed('second')],
      languages: game.languages,
      videos: [expect.objectContaining({ kind: 'link', url: 'https://vimeo.com/1', provider: 'vimeo' })],
      changelog: ['6', '5', '4', '3', '2'].map((title) => expect.objectContaining({ title })),
      adult: false,
      indexable: true,
      press_zip_url: `${server.url}${pathOf(game.vanityName, 'press.zip')}`,
      updated_at: game.updatedAt.toISOString(),
    })
  })

  test('of a bare listing has the empty kit, no placeholder images, and the website of the listing', async () => {
    const website = 'https://listing.example.org/'
    const game = await insertGame(server, owner, { visibility: 'public', website })
    expect(await readData(await server.fetch(pathOf(game.uid, 'press')))).toMatchObject({
      ...EMPTY_PRESS_KIT,
      website,
      history_html: '',
      cover: null,
      thumbnail: null,
      gallery: [],
      changelog: [],
    })
  })

  test('is cached by its ETag, which changes with the kit', async () => {
    const game = await insertPublicGame(server, owner)
    const path = pathOf(game.uid, 'press')
    const etag = (await server.fetch(path)).headers.get('etag') ?? ''
    expect((await server.fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    await owner.json('PUT', `/api/v1/private/games/${game.uid}/press`, { awards: ['New'] })
    const answer = await server.fetch(path, { headers: { 'if-none-match': etag } })
    expect(answer.status).toBe(200)
    expect(await readData(answer)).toMatchObject({ awards: ['New'] })
  })

  test('counts against its limit', async () => {
    const game = await insertPublicGame(server, owner)
    const answer = await server.fetch(pathOf(game.uid, 'press'))
    expect(answer.headers.get('ratelimit-limit')).toBe('600')
  })
})

describe.each(PAGES)('%s follows the listing', (page) => {
  const read = (ref: string, headers: Record<string, string> = {}) =>
    server.fetch(pathOf(ref, page), { headers: { 'x-forwarded-for': owner.address, ...headers } })

  test.each([
    ['draft', 404],
    ['owner', 404],
    ['invisible', 200],
    ['public', 200],
  ] as const)('a listing that is %s answers %i to everyone', async (visibility, status) => {
    const game = await insertGame(server, owner, { visibility })
    for (const headers of [{}, bearers.player, bearers.owner]) {
      const answer = await read(game.uid, headers)
      expect(answer.status).toBe(status)
      await answer.body?.cancel()
    }
  })

  test('a hidden, an adult and a missing listing give the same answer', async () => {
    const [missing, ...others] = await Promise.all([
      read(crypto.randomUUID()).then(readAll),
      read((await insertGame(server, owner)).uid).then(readAll),
      read((await insertGame(server, owner)).vanityName).then(readAll),
      read((await insertPublicGame(server, owner, { adult: true })).uid).then(readAll),
    ])
    for (const other of others) expect(other).toEqual(missing)
    expect(missing).toMatchObject({ status: 404, body: expect.stringContaining('"code":4040') })
  })

  test('an adult listing needs a bearer of a player who opted in', async () => {
    const { uid } = await insertPublicGame(server, owner, { adult: true })
    for (const [headers, status] of [
      [{}, 404],
      [bearers.player, 404],
      [bearers.owner, 404],
      [bearers.adult, 200],
    ] as const) {
      const answer = await read(uid, headers)
      expect(answer.status).toBe(status)
      if (status === 200)
        expect(answer.headers.get('cache-control')).toMatch(/^(private, no-cache|(private, )?no-store)$/)
      await answer.body?.cancel()
    }
  })

  test.each([
    ['public', true, null],
    ['public', false, 'noindex'],
    ['invisible', true, 'noindex'],
    ['invisible', false, 'noindex'],
  ] as const)('%s and indexable %p is marked %p for search engines', async (visibility, indexable, mark) => {
    const game = await insertGame(server, owner, { visibility, indexable })
    const answer = await read(game.uid)
    expect(answer.headers.get('x-robots-tag')).toBe(mark)
    await answer.body?.cancel()
  })

  test('an old name leads to the new one', async () => {
    const game = await insertPublicGame(server, owner)
    const name = `old-${game.vanityName}`
    await server.deps.db.insert(oldVanityNames).values({ name, gameUid: game.uid })
    const answer = await read(name)
    expect(answer.status).toBe(301)
    expect(answer.headers.get('location')).toBe(pathOf(game.vanityName, page))
  })

  test('a bad bearer is 401, never nobody', async () => {
    const { uid } = await insertPublicGame(server, owner)
    const answer = await read(uid, { authorization: 'Bearer svc_play_wrong' })
    expect(answer.status).toBe(401)
    expect(await readJson<unknown>(answer)).toMatchObject({ error: { code: 4010 } })
  })
})
