import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { type DisputeState, type OrderStatus, titleOfOrder } from '../../../domain/listings/orders.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { openGame } from '../../games/service.ts'
import { requirePayments } from '../payouts/service.ts'
import * as queries from './queries.ts'

export const SALES_DAYS_DEFAULT = 30
export const SALES_DAYS_MAX = 366
const EXPORTED_MAX = 50_000

export type Scope = queries.Scope
type OrderSearch = queries.OrderSearch
export const ALL_ORDERS: OrderSearch = { text: '', isDisputed: false }

export interface Figures {
  sold: number
  soldCents: number
  refundedCents: number
  /** What banks have taken back, or hold during a dispute. */
  disputedCents: number
  /** Fees without the refunded part. */
  feeCents: number
  /** What the developer keeps. */
  netCents: number
}

export interface Sales {
  total: Figures
  /** Every day, also those without a sale, the oldest first. */
  days: (Figures & { day: string })[]
  editions: (Figures & { title: string })[]
  countries: (Figures & { country: string | null })[]
}

export interface SalesLine extends Figures {
  day: string
  title: string
  country: string | null
}

export interface SoldOrder {
  uid: string
  title: string
  /** Null once the account is deleted. */
  buyer: string | null
  status: OrderStatus
  dispute: DisputeState | null
  amountCents: number
  refundedCents: number
  feeCents: number
  paidAt: string
  country: string | null
}

/** Only the owner and admins of the listing may see its sales. */
export async function openGameSales(deps: Deps, user: WebsiteUser, ref: string): Promise<Scope> {
  requirePayments(deps)
  const { game } = await openGame(deps.db, user, ref, 'edit')
  return { kind: 'game', gameUid: game.uid }
}

export async function loadSales(db: Db, scope: Scope, days: number): Promise<Sales> {
  const since = startOf(days)
  const rows = await queries.sumSales(db, scope, since)
  const byDay = new Map(rows.flatMap((row) => (row.isDay ? [[row.day, toFigures(row)]] : [])))
  const all = rows.find(({ isDay, isEdition, isCountry }) => !isDay && !isEdition && !isCountry)
  return {
    total: toFigures(all ?? NOTHING),
    days: Array.from({ length: days }, (_, index) => {
      const day = new Date(since.getTime() + index * DAY_MS).toISOString().slice(0, 10)
      return { day, ...(byDay.get(day) ?? toFigures(NOTHING)) }
    }),
    editions: rows.flatMap((row) => (row.isEdition ? { title: titleOf(row), ...toFigures(row) } : [])),
    countries: rows.flatMap((row) => (row.isCountry ? { country: row.country, ...toFigures(row) } : [])),
  }
}

export async function exportSales(db: Db, scope: Scope, days: number): Promise<SalesLine[]> {
  const rows = await queries.listSales(db, scope, startOf(days), EXPORTED_MAX)
  return rows.map((row) => ({
    day: row.day,
    title: titleOf(row),
    country: row.country,
    ...toFigures(row),
  }))
}

export async function listSold(
  db: Db,
  scope: Scope,
  search: OrderSearch,
  page: Page,
): Promise<Paged<SoldOrder>> {
  return mapPage(await queries.listSold(db, scope, search, page), ({ order, buyer }) => {
    const { uid, status, dispute, amountCents, refundedCents, country } = order
    const feeCents = order.feeCents - order.feeRefundedCents
    const paidAt = (order.paidAt ?? order.createdAt).toISOString()
    const title = titleOfOrder(order)
    return { uid, title, buyer, status, dispute, amountCents, refundedCents, feeCents, paidAt, country }
  })
}

const NOTHING = { sold: 0, soldCents: 0, refundedCents: 0, disputedCents: 0, feeCents: 0 }

function toFigures({ sold, soldCents, refundedCents, disputedCents, feeCents }: typeof NOTHING): Figures {
  const netCents = soldCents - refundedCents - disputedCents - feeCents
  return { sold, soldCents, refundedCents, disputedCents, feeCents, netCents }
}

function titleOf({ gameName, editionName }: { gameName: string | null; editionName: string | null }): string {
  return titleOfOrder({ gameName: gameName ?? '', editionName })
}

/** Today counts as the first day, in UTC. */
function startOf(days: number): Date {
  const today = Math.floor(Date.now() / DAY_MS)
  return new Date((today - days + 1) * DAY_MS)
}
