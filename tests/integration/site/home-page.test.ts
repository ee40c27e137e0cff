import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { changelogEntries } from '../../../src/db/schema/games/game-pages.ts'
import { buildHealth } from '../../../src/db/schema/telemetry.ts'
import { refreshShelves } from '../../../src/features/catalog/shelves/service.ts'
import { insertBuild, insertFile, pointChannel } from '../../helpers/builds.ts'
import { watchStatements } from '../../helpers/catalog.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import type { Person } from '../../helpers/people.ts'
import { releaseWeb } from '../../helpers/play.ts'
import { indexNow } from '../../helpers/search/search.ts'
import { usePerson, useStore } from '../../helpers/store.ts'
import { waitFor } from '../../helpers/wait.ts'

/** Session, shelves, search twice, changes of a changelog, and what the cards lack in the cache. */
const STATEMENTS_MAX = 16

const server = useStore({ TRUST_PROXY: '1' })
const operator = usePerson(server, signUpOperator)
const listed: GameRow[] = []

beforeAll(async () => {
  for (const genre of ['puzzle', 'puzzle', 'horror', 'racing', 'racing', 'rpg', 'card', 'puzzle'] as const) {
    const game = await insertPublicGame(server, operator, { genres: [genre] })
    await indexNow(server, game.uid)
    listed.push(game)
  }
})

async function open(who?: Person): Promise<string> {
  const headers = { accept: 'text/html' }
  return await (await (who ? who.fetch('/', { headers }) : server.fetch('/', { headers }))).text()
}

const set = (body: object) => operator.json('PATCH', '/api/v1/operator/settings', body)

/** The names of the listings in a part of the page, in order. */
function namesIn(part: string): string[] {
  return Array.from(
    part.matchAll(/<h[23][^>]*><a href="\/games\/[^"]+"[^>]*>([^<]+)</g),
    ([, name = '']) => name,
  )
}
const partOf = (page: string, start: RegExp, end: string) => {
  const from = page.search(start)
  return from === -1 ? '' : page.slice(from, page.indexOf(end, from))
}
const picksOf = (page: string) => partOf(page, /<ul class="picks"/, '</ul>')
const sectionOf = (page: string, id: string) =>
  partOf(page, new RegExp(`<section[^>]*aria-labelledby="${id}"`), '</section>')

describe('the home page', () => {
  test('begins with up to three listings: picture, price and a button', async () => {
    const [, second] = listed
    expect((await set({ hero: { game: second?.uid } })).status).toBe(200)
    const picks = picksOf(await open())
    expect(namesIn(picks)).toHaveLength(3)
    expect(namesIn(picks)[0]).toBe(second?.name ?? '')
    expect(picks.match(/<img /g)).toHaveLength(3)
    expect(picks.match(/class="price">Free</g)).toHaveLength(3)
    expect(picks.match(/class="button"/g)).toHaveLength(3)
    expect(picks.match(/fetchpriority="high"/g)).toHaveLength(1)
    expect(picks).not.toContain('loading="lazy"')
    const [, source = ''] = /<img src="([^"]+)"/.exec(picks) ?? []
    const [preload = ''] = /<link rel="preload"[^>]*as="image"[^>]*>/.exec(await open()) ?? []
    expect(preload).toContain(`href="${source}"`)
  })

  test('shows a listing once, at the top or in a row', async () => {
    const page = await open()
    const [picks, newest] = [namesIn(picksOf(page)), namesIn(sectionOf(page, 'shelf-newest'))]
    expect(newest.length).toBeGreaterThan(3)
    expect(new Set([...picks, ...newest]).size).toBe(picks.length + newest.length)
  })

  test.each(['spotlight', 'split', 'banner'])('lays them out as %s', async (layout) => {
    expect((await set({ hero_layout: layout })).status).toBe(200)
    expect(await open()).toContain(`<div class="hero hero-${layout}">`)
  })

  test('without the featured section stands on the accent, with no listing beside it', async () => {
    await set({ home: ['newest'], hero_layout: null })
    const page = await open()
    expect(page).toContain('<div class="hero plain">')
    expect(namesIn(sectionOf(page, 'shelf-newest'))).toHaveLength(5)
    await set({ home: ['newest', 'featured'] })
    expect(await open()).toContain('<div class="band">')
    await set({ home: null })
  })

  test('leads to the genres that have listings, and to all', async () => {
    const genres = partOf(await open(), /<nav class="genres"/, '</nav>')
    const shown = Array.from(genres.matchAll(/\?genres=([\w-]+)"/g), ([, genre = '']) => genre)
    expect(shown.slice(0, 2)).toEqual(['puzzle', 'racing'])
    expect(shown.toSorted()).toEqual(['card', 'horror', 'puzzle', 'racing', 'rpg'])
    expect(genres).toContain('3 titles')
    expect(genres).toMatch(/<a href="\/search">All</)
  })

  test('tells what changed in which version, and a change of it at once', async () => {
    const game = listed[0]
    const path = `/api/v1/private/games/${game?.uid}/changelog`
    const entry = { title: 'Rain on the roof', body: 'It rains.', version: '1.4.0' }
    expect((await operator.json('POST', path, entry)).status).toBe(201)
    await indexNow(server, game?.uid ?? '')
    const updates = async () => sectionOf(await open(), 'shelf-recently-updated')
    await waitFor('the entry', async () => (await updates()).includes('Rain on the roof'))
    expect(await updates()).toMatch(/<strong>1\.4\.0 ?<\/strong>/)
    const [row] = await server.deps.db
      .select()
      .from(changelogEntries)
      .where(eq(changelogEntries.gameUid, game?.uid ?? ''))
    await operator.json('PATCH', `${path}/${row?.uid}`, { title: 'Snow on the roof' })
    await waitFor('its new words', async () => (await updates()).includes('Snow on the roof'))
  })

  test('asks a bounded number of questions of the database, however many listings there are', async () => {
    await open(operator)
    const statements = await watchStatements(server, () => open(operator))
    expect(statements.length).toBeLessThanOrEqual(STATEMENTS_MAX)
  })

  test('leaves out of Play now what has launch problems', async () => {
    const playable: GameRow[] = []
    for (const game of listed.slice(0, 5)) {
      await releaseWeb(server, game.uid)
      playable.push(game)
    }
    const broken = await insertPublicGame(server, operator, { name: 'Falls over' })
    const build = await insertBuild(server, broken.uid, { os: 'web' })
    await insertFile(server, build, { entryPage: 'index.html' })
    await pointChannel(server, build)
    const counts = { devices: 20, bootOk: 2, sharedBootOk: 2, crashed: 0, medianSessionS: null }
    await server.deps.db
      .insert(buildHealth)
      .values({ buildUid: build.uid, band: 'problematic', judgedAt: new Date(), ...counts })
    await refreshShelves(server.deps, new Date())
    const shelf = await (await server.fetch('/api/v1/public/shelves/play_now')).text()
    for (const { name } of playable) expect(shelf).toContain(`"${name}"`)
    expect(shelf).not.toContain('Falls over')
  })
})
