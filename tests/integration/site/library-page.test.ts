import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { channelPointers } from '../../../src/db/schema/builds.ts'
import { licenses, playTimes } from '../../../src/db/schema/games/game-players.ts'
import { addPlayTime } from '../../../src/features/telemetry/ingest/queries.ts'
import { insertBuild, insertFile, pointChannel } from '../../helpers/builds.ts'
import { watchStatements } from '../../helpers/catalog.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertLicense, insertPublicGame } from '../../helpers/listings.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64)'
const DAY_MS = 24 * 60 * 60 * 1000
/** Session, four lists with covers and counts, notices, orders, and what the titles can be had as. */
const STATEMENTS_MAX = 20

const server = useStore({ TRUST_PROXY: '1' })
const maker = usePerson(server)
const player = usePerson(server)
const games: GameRow[] = []

beforeAll(async () => {
  for (const name of ['Amber Bay', 'Blue Cellar', 'Cold Dunes', 'Dim Estuary', 'Even Fields', 'Far Gorge']) {
    const game = await insertPublicGame(server, maker, { name })
    await insertLicense(server, game.uid, player)
    games.push(game)
  }
})

async function open(path = '/library'): Promise<string> {
  const headers = { accept: 'text/html', 'user-agent': LINUX }
  return await (await player.fetch(path, { headers })).text()
}

async function play(game: GameRow | undefined, daysAgo: number): Promise<void> {
  const gameUid = game?.uid ?? ''
  await server.deps.db.transaction((tx) => addPlayTime(tx, player.uid, gameUid, 600))
  await server.deps.db
    .update(playTimes)
    .set({ playedAt: new Date(Date.now() - daysAgo * DAY_MS) })
    .where(and(eq(playTimes.userUid, player.uid), eq(playTimes.gameUid, gameUid)))
}

/** The names under headings of this level, in the order of the page. */
const names = (page: string, level: 2 | 3) =>
  Array.from(
    page.matchAll(new RegExp(`<h${level}[^>]*><a[^>]*>([^<]+)</a></h${level}>`, 'g')),
    ([, name]) => name,
  )

describe('the library', () => {
  test('has nothing to continue before something was played', async () => {
    const page = await open()
    expect(page).not.toContain('>Continue<')
    expect(names(page, 2)).toHaveLength(6)
    expect(page).toContain('6 titles')
  })

  test('begins with what was played last, and shows it once', async () => {
    await play(games[0], 9)
    await play(games[3], 1)
    const page = await open()
    expect(names(page, 3)).toEqual(['Dim Estuary', 'Amber Bay'])
    expect(names(page, 2)).toEqual(['Far Gorge', 'Even Fields', 'Cold Dunes', 'Blue Cellar'])
    expect(page).toMatch(/10 minutes played<?!?[^,]*, last on/)
    const { items } = await readData<{ items: { game: { name: string }; last_played_at: string | null }[] }>(
      await player.fetch('/api/v1/private/library?sort=recent'),
    )
    expect(items.map(({ game }) => game.name).slice(0, 2)).toEqual(['Dim Estuary', 'Amber Bay'])
    expect(items.map(({ last_played_at }) => last_played_at !== null).slice(0, 3)).toEqual([
      true,
      true,
      false,
    ])
  })

  test.each(['?q=a', '?sort=name', '?page=2', '?show=hidden'])(
    'only lists where one looks: %s',
    async (query) => {
      expect(await open(`/library${query}`)).not.toContain('>Continue<')
    },
  )

  test('says what was updated since it was played, or got', async () => {
    const [played, , got] = games
    for (const [game, version] of [
      [played, '2.0.0'],
      [got, '3.0.0'],
    ] as const) {
      const build = await insertBuild(server, game?.uid ?? '', { os: 'linux', version })
      await insertFile(server, build)
      await pointChannel(server, build)
    }
    await server.deps.db.update(licenses).set({ createdAt: new Date(Date.now() - 2 * DAY_MS) })
    const page = await open()
    expect(page).toContain('Updated to 2.0.0')
    expect(page).toContain('Updated to 3.0.0')
    await server.deps.db
      .update(channelPointers)
      .set({ movedAt: new Date(Date.now() - 3 * DAY_MS) })
      .where(eq(channelPointers.gameUid, got?.uid ?? ''))
    expect(await open()).not.toContain('Updated to 3.0.0')
    await play(played, 0)
    expect(await open()).not.toContain('Updated to 2.0.0')
  })

  test('is a grid or, by its address, a list, with the same filter', async () => {
    const grid = await open('/library?q=dunes&sort=name')
    expect(grid).toContain('class="library-items grid"')
    const [, toList = ''] = /href="([^"]+)">List</.exec(grid) ?? []
    const list = await open(toList.replaceAll('&amp;', '&'))
    expect(names(list, 2)).toEqual(['Cold Dunes'])
    expect(list).toContain('class="library-items list"')
    expect(list).toContain('<input type="hidden" name="view" value="list"')
    expect(await open('/library?view=constructor')).toContain('class="library-items grid"')
  })

  test('keeps downloads, receipt and taking out behind More', async () => {
    const page = await open('/library?q=amber')
    const [more = ''] = /<details class="more-acts".*?<\/article>/s.exec(page) ?? []
    expect(more).toContain('2.0.0 for Linux')
    expect(more).toContain('Take out of library')
    expect(more).toContain('In your library since')
    expect(more).not.toContain('Receipt')
  })

  test('asks a bounded number of questions of the database, however many titles there are', async () => {
    const statements = await watchStatements(server, () => open())
    expect(statements.length).toBeLessThanOrEqual(STATEMENTS_MAX)
  })
})
