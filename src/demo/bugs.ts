import type { Deps } from '../deps.ts'
import { sealNewKey } from '../features/bugs/settings/rows.ts'
import { DAY_MS } from '../lib/utc-days.ts'
import { drawPicture } from './art/pictures.ts'
import { DEMO_BUG_GAME, DEMO_TICKETS, DEMO_WEBHOOK, type DemoTicket } from './bugs-data.ts'
import { type BugRows, findUnreported, insertBugs } from './bugs-queries.ts'
import { DEMO_LISTINGS } from './listings/all.ts'
import { DEVELOPERS, PLAYERS } from './people.ts'
import { findPeople, lockDemo } from './queries.ts'
import { uidAt } from './uids.ts'

const MINUTE_MS = 60_000
const SCREEN_HEIGHT = 360
const CONTENT_TYPE = 'image/png'

type Screenshots = ReadonlyMap<DemoTicket, { objectKey: string; size: number }>

/**
 * Turns on the bug reporter of one listing and adds tickets with screenshots, notes and deliveries. Does nothing if
 * the reporter was ever set up. Returns the number of new tickets.
 */
export async function loadDemoBugs(deps: Deps): Promise<number> {
  const listing = DEMO_LISTINGS.find(({ vanityName }) => vanityName === DEMO_BUG_GAME)
  if (!listing) return 0
  const find = { name: listing.vanityName, email: DEVELOPERS[listing.by].email }
  const gameUid = await findUnreported(deps.db, find.name, find.email)
  if (gameUid === undefined) return 0
  const screenshots = await storeScreenshots(deps, gameUid, listing.art[1])
  return await deps.db.transaction(async (tx) => {
    await lockDemo(tx)
    if ((await findUnreported(tx, find.name, find.email)) !== gameUid) return 0
    const emails = DEMO_TICKETS.map(({ by }) => PLAYERS[by].email)
    const people = await findPeople(tx, emails)
    const rows: BugRows = {
      reporter: {
        gameUid,
        enabled: true,
        webhookUrls: [DEMO_WEBHOOK],
        signingKey: sealNewKey(deps, gameUid),
      },
      tickets: [],
      screenshots: [],
      events: [],
      notices: [],
      deliveries: [],
      attempts: [],
    }
    for (const ticket of DEMO_TICKETS) {
      const userUid = people.get(PLAYERS[ticket.by].email) ?? null
      addTicket(rows, { gameUid, userUid, developer: listing.by, screenshots }, ticket)
    }
    await insertBugs(tx, rows)
    return rows.tickets.length
  })
}

/** Stored before their rows, as those of players are. */
async function storeScreenshots(
  { store }: Deps,
  gameUid: string,
  palette: Parameters<typeof drawPicture>[0]['palette'],
): Promise<Screenshots> {
  const stored = new Map<DemoTicket, { objectKey: string; size: number }>()
  for (const ticket of DEMO_TICKETS) {
    if (!ticket.screen) continue
    const bytes = drawPicture({ scene: ticket.screen, palette, seed: ticket.message }, SCREEN_HEIGHT)
    const objectKey = `screenshots/${gameUid}/${uidAt(new Date())}.png`
    const { size } = await store.put(objectKey, bytes, { contentType: CONTENT_TYPE })
    stored.set(ticket, { objectKey, size })
  }
  return stored
}

interface Facts {
  gameUid: string
  userUid: string | null
  developer: string
  screenshots: Screenshots
}

function addTicket(rows: BugRows, facts: Facts, ticket: DemoTicket): void {
  const { gameUid, userUid, developer: by, screenshots } = facts
  const { message, source, status, version, os, log, fixedIn, notes = [] } = ticket
  const createdAt = new Date(Date.now() - ticket.daysAgo * DAY_MS)
  const worked = new Date(createdAt.getTime() + DAY_MS / 2)
  const uid = uidAt(createdAt)
  rows.tickets.push({
    uid,
    gameUid,
    userUid,
    source,
    status,
    message,
    clientVersion: version,
    os,
    log,
    fixedInVersion: fixedIn,
    createdAt,
    updatedAt: status === 'open' ? createdAt : worked,
  })
  const screenshot = screenshots.get(ticket)
  if (screenshot) rows.screenshots.push({ ticketUid: uid, gameUid, contentType: CONTENT_TYPE, ...screenshot })
  if (status !== 'open')
    rows.events.push({
      uid: uidAt(worked),
      ticketUid: uid,
      by,
      fromStatus: 'open',
      toStatus: status,
      fixedInVersion: fixedIn,
      note: notes.join('\n'),
      createdAt: worked,
    })
  if (status === 'fixed') rows.notices.push({ ticketUid: uid, fixedInVersion: fixedIn, fixedAt: worked })
  addDelivery(rows, gameUid, uid, ticket, createdAt)
}

function addDelivery(
  rows: BugRows,
  gameUid: string,
  ticketUid: string,
  { attempts }: DemoTicket,
  createdAt: Date,
): void {
  const uid = uidAt(createdAt)
  const state = attempts.at(-1) === 200 ? 'delivered' : 'failed'
  rows.deliveries.push({
    uid,
    gameUid,
    ticketUid,
    url: DEMO_WEBHOOK,
    state,
    tries: attempts.length,
    createdAt,
  })
  for (const [index, status] of attempts.entries()) {
    const at = new Date(createdAt.getTime() + index * index * MINUTE_MS)
    const answered = `The server answered with status ${status}.`
    const error = status === null ? 'The server cannot be reached.' : answered
    rows.attempts.push({
      uid: uidAt(at),
      deliveryUid: uid,
      status,
      error: status === 200 ? null : error,
      latencyMs: 40 + index * 7,
      createdAt: at,
    })
  }
}
