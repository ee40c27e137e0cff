import { and, eq, notExists } from 'drizzle-orm'

import type { Db, Transaction } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import {
  bugDeliveries,
  bugDeliveryAttempts,
  bugNotices,
  bugReporters,
  bugScreenshots,
  bugTicketEvents,
  bugTickets,
} from '../db/schema/bugs.ts'
import { games } from '../db/schema/games/games.ts'
import type { Deps } from '../deps.ts'
import { sealNewKey } from '../features/bugs/settings/service.ts'
import { DAY_MS } from '../lib/time.ts'
import { DEMO_LISTINGS, DEMO_TICKETS, type DemoTicket, DEVELOPERS, PLAYERS } from './data.ts'
import { openPicture } from './pictures.ts'
import { findPeople, lockDemo, uidAt } from './queries.ts'

const MINUTE_MS = 60_000
/** A receiver that a developer would run on their own machine. */
const DEMO_WEBHOOK = 'http://127.0.0.1:9900/bugs'
export const DEMO_BUG_GAME = 'the-last-ferry'
const CONTENT_TYPE = 'image/png'

type Screenshots = ReadonlyMap<DemoTicket, { objectKey: string; size: number }>

/**
 * Turns on the bug reporter of one listing and adds tickets with screenshots, notes and deliveries. Does
 * nothing if the reporter was ever set up. Returns the number of new tickets.
 */
export async function loadDemoBugs(deps: Deps): Promise<number> {
  const listing = DEMO_LISTINGS.find(({ vanityName }) => vanityName === DEMO_BUG_GAME)
  if (!listing) return 0
  const find = { name: listing.vanityName, email: DEVELOPERS[listing.by].email }
  const gameUid = await findUnreported(deps.db, find.name, find.email)
  if (gameUid === undefined) return 0
  const screenshots = await storeScreenshots(deps, gameUid)
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

/** Stores the screenshots before their rows are written, as for players' reports. */
async function storeScreenshots({ objects }: Deps, gameUid: string): Promise<Screenshots> {
  const stored = new Map<DemoTicket, { objectKey: string; size: number }>()
  for (const ticket of DEMO_TICKETS) {
    if (ticket.screen === undefined) continue
    const file = await openPicture('tickets', ticket.screen).bytes()
    const objectKey = `screenshots/${gameUid}/${uidAt(new Date())}.png`
    const { size } = await objects.put(objectKey, await new Bun.Image(file).png().bytes(), {
      contentType: CONTENT_TYPE,
    })
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

interface BugRows {
  reporter: typeof bugReporters.$inferInsert
  tickets: (typeof bugTickets.$inferInsert)[]
  screenshots: (typeof bugScreenshots.$inferInsert)[]
  events: (typeof bugTicketEvents.$inferInsert)[]
  notices: (typeof bugNotices.$inferInsert)[]
  deliveries: (typeof bugDeliveries.$inferInsert)[]
  attempts: (typeof bugDeliveryAttempts.$inferInsert)[]
}

/** The listing, if this developer owns it and its bug reporter was never set up. */
async function findUnreported(db: Db, vanityName: string, email: string): Promise<string | undefined> {
  const reporters = db.select().from(bugReporters).where(eq(bugReporters.gameUid, games.uid))
  const [row] = await db
    .select({ uid: games.uid })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(and(eq(games.vanityName, vanityName), eq(users.email, email), notExists(reporters)))
  return row?.uid
}

async function insertBugs(tx: Transaction, rows: BugRows): Promise<void> {
  await tx.insert(bugReporters).values(rows.reporter)
  await tx.insert(bugTickets).values(rows.tickets)
  await tx.insert(bugScreenshots).values(rows.screenshots)
  await tx.insert(bugTicketEvents).values(rows.events)
  await tx.insert(bugNotices).values(rows.notices)
  await tx.insert(bugDeliveries).values(rows.deliveries)
  await tx.insert(bugDeliveryAttempts).values(rows.attempts)
}
