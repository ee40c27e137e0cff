import { describe, expect, test } from 'bun:test'

import { users } from '../../../src/db/schema/accounts.ts'
import { DEMO_BUG_GAME, loadDemoBugs } from '../../../src/demo/bugs.ts'
import { DEMO_TICKETS, DEVELOPERS, PLAYERS } from '../../../src/demo/data.ts'
import { listAllNotices, listTickets } from '../../../src/features/bugs/tickets/service.ts'
import { listDeliveries } from '../../../src/features/bugs/webhooks/service.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { parsePage } from '../../../src/lib/paging.ts'
import { insertGame } from '../../helpers/listings.ts'
import { asPerson } from '../../helpers/people.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore()

/** A demo account as its services see it. */
async function insertUser(username: string, { name, email }: { name: string; email: string }) {
  const id = createUid()
  await server.deps.db.insert(users).values({ id, username, name, email, emailVerified: true })
  return {
    ...({
      kind: 'user',
      userUid: id,
      sessionUid: '',
      username,
      displayName: username,
      picture: null,
      email,
      emailVerified: true,
    } as const),
    developerMode: true,
    adultContent: false,
    hiddenTags: [],
    isOperator: false,
    hasSecondFactor: false,
    confirmedAt: null,
  }
}

describe('the bugs of the demo', () => {
  test('are there once: tickets with screenshots, deliveries, and a notice for the player', async () => {
    expect(await loadDemoBugs(server.deps)).toBe(0)
    const studio = await insertUser('lantern-works', DEVELOPERS['lantern-works'])
    const player = await insertUser('robin-player', PLAYERS['robin-player'])
    const owner = asPerson(server, {
      ...studio,
      uid: studio.userUid,
      name: '',
      password: '',
      address: '',
      cookie: '',
    })
    await insertGame(server, owner, { vanityName: DEMO_BUG_GAME, visibility: 'public' })
    expect(await loadDemoBugs(server.deps)).toBe(DEMO_TICKETS.length)
    expect(await loadDemoBugs(server.deps)).toBe(0)
    const tickets = await listTickets(server.deps, studio, DEMO_BUG_GAME, undefined, parsePage({}))
    expect(tickets.total).toBe(DEMO_TICKETS.length)
    const links = tickets.items.flatMap(({ screenshot_url: url }) => url ?? [])
    expect(links.length).toBeGreaterThan(1)
    for (const link of links) expect((await fetch(link)).headers.get('content-type')).toBe('image/png')
    const { items } = await listDeliveries(server.deps, studio, DEMO_BUG_GAME, parsePage({}))
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(['delivered', 'failed']))
    expect(await listAllNotices(server.deps, player)).toMatchObject([{ fixed_in_version: '1.4.2' }])
  })
})
