import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { enforceGracePeriod } from '../../../../src/features/listings/page/visibility.ts'
import { type GameRow, insertCover, insertGame, verifyEmail } from '../../../helpers/listings.ts'
import { readMails, waitForMail } from '../../../helpers/mails.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const START = new Date('2026-03-01')
const day = (number: number) => new Date(START.getTime() + number * 24 * 60 * 60 * 1000)

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all', GRACE_START: '2026-03-01' })
const owner = usePerson(server)
beforeAll(async () => {
  await verifyEmail(server, owner)
})

async function insertPage(publicSince: Date, tags: string[]): Promise<GameRow> {
  const game = await insertGame(server, owner, {
    visibility: 'public',
    publicSince,
    publishedAt: publicSince,
    tags,
  })
  await insertCover(server, game.uid)
  return game
}

async function visibilityOf({ uid }: GameRow): Promise<string | undefined> {
  const [row] = await server.deps.db.select().from(games).where(eq(games.uid, uid))
  return row?.visibility
}

const mailsAbout = async (game: GameRow) =>
  (await readMails(server)).filter(
    ({ to, subject }) => to === owner.email && subject.startsWith(`${game.name} `),
  )

describe('the grace period of pages that were public before', () => {
  test('is 30 days; the owner is told once, seven days before its end', async () => {
    const failing = await insertPage(day(-10), [])
    const passing = await insertPage(day(-10), ['a', 'b', 'c'])
    const later = await insertPage(day(1), [])

    await enforceGracePeriod(server.deps, day(22.9))
    expect(await visibilityOf(failing)).toBe('public')

    for (const now of [day(23), day(24), day(29.9)]) await enforceGracePeriod(server.deps, now)
    const warning = await waitForMail(server, owner.email, `${failing.name} will be hidden on 2026-03-31`)
    expect(warning.text).toContain('Set 3 to 20 tags.')
    expect(warning.text).toContain(failing.vanityName)
    expect(await visibilityOf(failing)).toBe('public')

    for (const now of [day(30), day(31)]) await enforceGracePeriod(server.deps, now)
    await waitForMail(server, owner.email, `${failing.name} is now hidden`)
    expect(await visibilityOf(failing)).toBe('invisible')
    expect(await mailsAbout(failing)).toHaveLength(2)

    for (const page of [passing, later]) {
      expect(await visibilityOf(page)).toBe('public')
      expect(await mailsAbout(page)).toEqual([])
    }
  })

  test('ends well for a page that was repaired in time', async () => {
    const page = await insertPage(day(-1), [])
    await enforceGracePeriod(server.deps, day(25))
    await owner.json('PATCH', `/api/v1/private/games/${page.uid}`, { tags: ['a', 'b', 'c'] })
    await enforceGracePeriod(server.deps, day(30))
    expect(await visibilityOf(page)).toBe('public')
  })

  test('goes through any number of pages', async () => {
    const pages = await Promise.all(Array.from({ length: 130 }, () => insertPage(day(-5), [])))
    await enforceGracePeriod(server.deps, day(40))
    const states = await Promise.all(pages.map(visibilityOf))
    expect(new Set(states)).toEqual(new Set(['invisible']))
  })
})

test('without GRACE_START nothing happens', async () => {
  const page = await insertPage(day(-1), [])
  await enforceGracePeriod({ ...server.deps, config: { ...server.deps.config, graceStart: null } }, day(100))
  expect(await visibilityOf(page)).toBe('public')
})
