import { beforeAll, describe, expect, test } from 'bun:test'

import { changelogEntries, videos } from '../../../src/db/schema/games/game-pages.ts'
import { insertBuild, insertFile, pointChannel } from '../../helpers/builds.ts'
import { drawPng } from '../../helpers/files/pictures.ts'
import { readData } from '../../helpers/json.ts'
import {
  type GameRow,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
  verifyEmail,
} from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { publishListing } from '../../helpers/store-listing.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Mobile'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64)'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

beforeAll(async () => {
  await verifyEmail(server, owner)
})

async function open(path: string, userAgent = LINUX): Promise<string> {
  const answer = await server.fetch(path, { headers: { accept: 'text/html', 'user-agent': userAgent } })
  expect([path, answer.status]).toEqual([path, 200])
  return await answer.text()
}

/** The text without tags, in the order it is read. */
const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

async function insertReleased(values: Parameters<typeof insertPublicGame>[2] = {}): Promise<GameRow> {
  const game = await insertPublicGame(server, owner, values)
  for (const os of ['linux', 'windows'] as const) {
    const build = await insertBuild(server, game.uid, { os })
    await insertFile(server, build)
    await pointChannel(server, build)
  }
  return game
}

describe('the box', () => {
  test('has one button for this device, and folds the other systems', async () => {
    const game = await insertReleased({ anonymousDownloads: true })
    const html = await open(`/games/${game.vanityName}`)
    expect(html.match(/class="button wide"/g)).toHaveLength(1)
    expect(textOf(html)).toMatch(/Download [^<]* for Linux/)
    expect(textOf(html)).toContain('Other systems Windows')
    expect(html).not.toMatch(/<details class="small other-systems" open/)
  })

  test('tells a phone before it pays', async () => {
    const game = await insertReleased({ priceCents: 900 })
    const text = textOf(await open(`/games/${game.vanityName}`, ANDROID))
    expect(text).toContain('Not for Android. Runs on Linux and Windows.')
    expect(textOf(await open(`/games/${game.vanityName}`))).not.toContain('Not for')
  })
})

describe('the top of the page', () => {
  test('shows the cover at once, and what players ask first', async () => {
    const { path } = await publishListing(server, owner, {
      sessionBucket: '1h',
      playersMin: 1,
      playersMax: 4,
      inputs: ['gamepad', 'touch'],
    })
    const html = await open(path)
    const [, src] = /<div class="backdrop"><img src="([^"]+)"/.exec(html) ?? []
    expect(html).toContain(`<link rel="preload" as="image" fetchpriority="high" href="${src}"`)
    expect(html).not.toMatch(/class="backdrop"><img[^>]*loading="lazy"/)
    expect(html).toContain('<body class="over-picture">')
    expect(textOf(html)).toContain('Session: 1 hour Players: 1 to 4 players Inputs: Gamepad, touch')
  })

  test('takes its colours from the cover, unless operators turn that off', async () => {
    const { path, game } = await publishListing(server, owner)
    const sheetOf = (html: string) => /href="(\/assets\/palettes\/[^"]+)"/.exec(html)?.[1]
    const body = new FormData()
    body.set('file', await drawPng(320, 180), 'picture.png')
    await owner.fetch(`/api/v1/private/games/${game.uid}/images/cover`, { method: 'PUT', body })
    const { accent } = await readData<{ accent: string | null }>(
      await server.fetch(`/api/v1/public/games/${game.uid}`),
    )
    expect(accent).toMatch(/^#[0-9a-f]{6}$/)
    const sheet = sheetOf(await open(path))
    expect(sheet).toContain(accent?.slice(1))
    expect((await server.fetch(sheet ?? '/')).headers.get('content-type')).toContain('text/css')
    expect(sheetOf(await open('/rules'))).toBeUndefined()
  })

  test('puts videos before pictures, and asks no other site for anything', async () => {
    const { path, game } = await publishListing(server, owner)
    const video = {
      gameUid: game.uid,
      kind: 'link',
      url: 'https://vimeo.com/76979871',
      provider: 'vimeo',
    } as const
    await server.deps.db.insert(videos).values({ ...video, position: 0 })
    const html = await open(path)
    expect(html).toContain('<a class="still" href="https://vimeo.com/76979871" rel="nofollow ugc noopener">')
    expect(html.indexOf('class="still"')).toBeLessThan(html.indexOf('class="shot"'))
    expect(textOf(html)).toMatch(/Watch Video 1 of .* on Vimeo/)
    expect(html).not.toContain('<iframe')
  })

  test('puts a video of its own before pictures, too, as a link to the file', async () => {
    const { path, game } = await publishListing(server, owner)
    const video = {
      gameUid: game.uid,
      kind: 'file',
      contentType: 'video/mp4',
      width: 1280,
      height: 720,
    } as const
    const objectKey = `videos/${crypto.randomUUID()}.mp4`
    await server.deps.db.insert(videos).values({ ...video, objectKey, size: 1000 })
    const html = await open(path)
    expect(html).toMatch(/<a class="shot still" href="\/media\/videos\/[^"]+\.mp4"/)
    expect(html.indexOf('class="shot still"')).toBeLessThan(html.indexOf('class="shot"'))
    expect(textOf(html)).toMatch(/Watch Video 1 of /)
    // The controls of a player cost as much to lay out as the rest of the page.
    expect(html).not.toContain('<video')
  })

  test('tells what players think in the strip', async () => {
    const { path, game } = await publishListing(server, owner, { sessionBucket: '1h' })
    expect(textOf(await open(path))).not.toContain('Rating:')
    const player = await signUp(server)
    await verifyEmail(server, player)
    await insertLicense(server, game.uid, player)
    await setPlayMinutes(server, game.uid, player, 90)
    const review = `/api/v1/private/games/${game.uid}/review`
    expect((await player.json('PUT', review, { rating: 4, text: 'Calm.' })).status).toBe(201)
    const html = await open(path)
    expect(textOf(html)).toContain('Rating: 4.0 1 review Session: 1 hour')
    expect(html).toContain(`<a href="${path}/reviews"><strong>4.0</strong>`)
  })

  test('loads stills of linked videos when they are seen', async () => {
    const { path, game } = await publishListing(server, owner)
    const link = { kind: 'link', url: 'https://vimeo.com/76979871', provider: 'vimeo' } as const
    await server.deps.db.insert(videos).values({ ...link, gameUid: game.uid })
    expect(await open(path)).toMatch(/class="still"[^>]*><img[^>]* loading="lazy"/)
  })

  test('names the language of the words of a listing where it is known', async () => {
    const only = (language: string) => [{ language, interface: true, audio: false, subtitles: false }]
    const german = { languages: only('de'), tagline: 'Flicke die Sterne.' }
    const langs = (html: string) =>
      [...html.matchAll(/<(p|div)[^>]* lang="([^"]+)"/g)].map(([, , lang]) => lang)
    const { path } = await publishListing(server, owner, german)
    expect(langs(await open(path))).toEqual(['de', 'de'])
    expect(langs(await open(`${path}/press`))).toEqual(['de', 'de'])
    const both = await publishListing(server, owner, { languages: [...only('de'), ...only('fr')] })
    const strange = await publishListing(server, owner, { languages: only('ja') })
    for (const other of [both, strange]) expect(langs(await open(other.path))).toEqual([])
  })

  test('an adult page shows no picture to those who did not ask for it', async () => {
    const { path } = await publishListing(server, owner, { adult: true })
    const html = await open(path)
    expect(html).not.toContain('/media/')
    expect(html).not.toContain('over-picture')
  })
})

describe('the facts', () => {
  test('tell for whom it is playable', async () => {
    const { path } = await publishListing(server, owner, {
      accessibility: ['one_handed', 'no_flashing'],
      languages: [
        { language: 'de', interface: true, audio: true, subtitles: false },
        { language: 'pt-BR', interface: true, audio: false, subtitles: true },
      ],
      requirements: { linux: { minimum: '4 GB of memory', recommended: null } },
    })
    const html = await open(path)
    const text = textOf(html)
    expect(text).toContain('Languages: 2 languages')
    expect(html).toContain('href="/search?accessibility=one_handed"')
    expect(text).toContain('German Yes Yes No Brazilian Portuguese Yes No Yes')
    expect(text).toContain('Linux At least 4 GB of memory')
  })
})

describe('the tabs', () => {
  test('have addresses of their own, each with one heading and the same box', async () => {
    const { path } = await publishListing(server, owner, { name: 'Lantern Keeper' })
    const headings = [
      ['', 'Lantern Keeper', 'About'],
      ['/posts', 'News of Lantern Keeper', 'News'],
      ['/reviews', 'Reviews of Lantern Keeper', 'Reviews'],
      ['/files', 'Files of Lantern Keeper', 'Files'],
      ['/changelog', 'Changelog of Lantern Keeper', 'News'],
    ] as const
    for (const [tail, heading, tab] of headings) {
      const html = await open(path + tail)
      expect(
        [...html.matchAll(/<h1[^>]*>(.*?)<\/h1>/g)].map(([, text = '']) => text.replace(/<[^>]+>/g, '')),
      ).toEqual([heading])
      expect(html).toMatch(new RegExp(`aria-current="page">${tab}<`))
      // What is new has two addresses, and one that counts.
      const canonical = path + (tail === '/changelog' ? '/posts' : tail)
      expect(html).toContain(`rel="canonical" href="${server.url}${canonical}"`)
      expect(textOf(html)).toContain('Get it')
    }
  })

  test('News has what changed, and Files every file with its checksum', async () => {
    const game = await insertReleased({ anonymousDownloads: true })
    const entry = { gameUid: game.uid, title: 'Larger letters', body: 'Text size can be set.' }
    await server.deps.db.insert(changelogEntries).values(entry)
    const page = `/games/${game.vanityName}`
    expect(await open(`${page}/posts`)).toContain('Larger letters')
    const files = await open(`${page}/files`)
    expect(files.match(/SHA-256/g)?.length).toBeGreaterThanOrEqual(2)
    for (const system of ['Linux', 'Windows']) expect(textOf(files)).toContain(`for ${system}`)
  })
})
