import { and, desc, eq, gte, isNotNull, or, type SQL, sql } from 'drizzle-orm'

import { type Db, one, pageOf } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { gameAdmins } from '../../../db/schema/games/game-pages.ts'
import { orders } from '../../../db/schema/selling.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'

/** Which sales: of one listing, of all listings that a person owns or helps run, or of the whole store. */
export type Scope =
  { kind: 'game'; gameUid: string } | { kind: 'person'; userUid: string } | { kind: 'store' }

function inScope(scope: Scope): SQL | undefined {
  if (scope.kind === 'store') return undefined
  if (scope.kind === 'game') return eq(orders.gameUid, scope.gameUid)
  return or(
    eq(orders.sellerUid, scope.userUid),
    sql`${orders.gameUid} in (select ${gameAdmins.gameUid} from ${gameAdmins}
      where ${gameAdmins.userUid} = ${scope.userUid} and ${gameAdmins.acceptedAt} is not null)`,
  )
}

const soldSince = (scope: Scope, since: Date) => and(inScope(scope), gte(orders.paidAt, since))

const day = sql<string>`(${orders.paidAt} at time zone 'UTC')::date::text`
const sum = (value: SQL) => sql<number>`coalesce(sum(${value}), 0)::float8`
/** Refunds count for the day of the sale, so that every order is counted once. */
const FIGURES = {
  sold: sql<number>`count(*)::int`,
  soldCents: sum(sql`${orders.amountCents}`),
  refundedCents: sum(sql`${orders.refundedCents}`),
  disputedCents: sum(sql`${orders.disputedCents}`),
  feeCents: sum(sql`${orders.feeCents} - ${orders.feeRefundedCents}`),
}

/** Sums per day, per listing and edition, per country, and of all, from one scan. */
export async function sumSales(db: Db, scope: Scope, since: Date) {
  return await db
    .select({
      isDay: sql<boolean>`grouping(${day}) = 0`,
      isEdition: sql<boolean>`grouping(${orders.gameUid}) = 0`,
      isCountry: sql<boolean>`grouping(${orders.country}) = 0`,
      day,
      gameName: sql<string | null>`max(${orders.gameName})`,
      editionName: sql<string | null>`max(${orders.editionName})`,
      country: orders.country,
      ...FIGURES,
    })
    .from(orders)
    .where(soldSince(scope, since))
    .groupBy(
      sql`grouping sets ((${day}), (${orders.gameUid}, ${orders.editionUid}), (${orders.country}), ())`,
    )
    .orderBy(desc(FIGURES.soldCents))
}

/** Sums for each combination of day, edition and country, newest first. */
export async function listSales(db: Db, scope: Scope, since: Date, limit: number) {
  return await db
    .select({
      day,
      gameName: sql<string>`max(${orders.gameName})`,
      editionName: sql<string | null>`max(${orders.editionName})`,
      country: orders.country,
      ...FIGURES,
    })
    .from(orders)
    .where(soldSince(scope, since))
    .groupBy(day, orders.gameUid, orders.editionUid, orders.country)
    .orderBy(desc(day), orders.gameUid, orders.editionUid, orders.country)
    .limit(limit)
}

export interface OrderSearch {
  /** A number of an order, or the address or username of a buyer; empty for all. */
  text: string
  isDisputed: boolean
}

const found = (scope: Scope, { text, isDisputed }: OrderSearch) =>
  and(
    inScope(scope),
    isNotNull(orders.paidAt),
    isDisputed ? isNotNull(orders.dispute) : undefined,
    text === ''
      ? undefined
      : isUid(text)
        ? eq(orders.uid, text.toLowerCase())
        : or(eq(users.email, text.toLowerCase()), eq(users.username, text)),
  )

/** The newest first. */
export async function listSold(db: Db, scope: Scope, search: OrderSearch, page: Page) {
  const [where, ofBuyer] = [found(scope, search), eq(users.id, orders.userUid)]
  const rows = db
    .select({ order: orders, buyer: users.username })
    .from(orders)
    .leftJoin(users, ofBuyer)
    .where(where)
    .orderBy(desc(orders.paidAt), desc(orders.uid))
  const counted = db
    .select({ count: sql<number>`count(*)::int` })
    .from(orders)
    .leftJoin(users, ofBuyer)
    .where(where)
  const total = one(counted).then((row) => row?.count ?? 0)
  return await pageOf(rows, total, page)
}
