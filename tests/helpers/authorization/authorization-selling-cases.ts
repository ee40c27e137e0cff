import { and, eq } from 'drizzle-orm'

import { licenses } from '../../../src/db/schema/games/game-players.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { keyBatches, orders } from '../../../src/db/schema/selling.ts'
import type { Case, Params, SessionKind, Setting } from './authorization-cases.ts'

const PRIVATE = '/api/v1/private'
const GAME = `${PRIVATE}/games/:uid`

/** A listing for sale that the caller does not hold. */
async function putOnSale({ server, game, caller }: Setting): Promise<Params> {
  const { db } = server.deps
  await db.update(games).set({ priceCents: 999 }).where(eq(games.uid, game.uid))
  await db.delete(licenses).where(and(eq(licenses.gameUid, game.uid), eq(licenses.userUid, caller.uid)))
  return {}
}

/** Expired, so that nobody asks Stripe about it. */
export async function insertOrder(
  { server, game }: Pick<Setting, 'server' | 'game'>,
  userUid: string | null,
): Promise<Params> {
  const values = {
    userUid,
    sellerUid: game.ownerUid,
    gameUid: game.uid,
    gameName: game.name,
    amountCents: 999,
    feeCents: 100,
    accountId: 'acct_none',
    sessionId: `cs_test_${crypto.randomUUID()}`,
    status: 'expired',
    expiresAt: new Date(),
  } as const
  const [row] = await server.deps.db.insert(orders).values(values).returning()
  return { uid: row?.uid ?? '' }
}

async function insertBatch({ server, game }: Setting): Promise<Params> {
  const values = { gameUid: game.uid, label: 'Press', count: 1 }
  const [row] = await server.deps.db.insert(keyBatches).values(values).returning()
  return { batch_uid: row?.uid ?? '' }
}

const isMaker = (who: SessionKind) => who === 'owner' || who === 'accepted admin'

/** Routes of a store that sells; the caller has a Stripe account that can take charges. */
export const SELLING_CASES: Record<string, Case> = {
  [`GET ${PRIVATE}/payouts`]: { need: 'account' },
  [`POST ${PRIVATE}/payouts/onboarding`]: { need: 'account' },
  [`POST ${PRIVATE}/payouts/dashboard`]: { need: 'account' },
  [`POST ${GAME}/checkout`]: {
    need: 'see',
    body: {},
    params: putOnSale,
    allowed: 201,
    except: (who) => (isMaker(who) ? 409 : undefined),
  },
  [`GET ${PRIVATE}/orders`]: { need: 'account' },
  [`GET ${PRIVATE}/orders/:uid`]: {
    need: 'account',
    params: (setting) => insertOrder(setting, setting.caller.uid),
  },
  // An order of another buyer: the owner of the listing is told that nothing was paid, others that there is
  // no order.
  [`POST ${PRIVATE}/orders/:uid/refund`]: {
    need: 'account',
    body: { reason: 'A bug' },
    params: (setting) => insertOrder(setting, null),
    allowed: 409,
    except: (who) => (who === 'owner' ? undefined : 404),
  },
  [`GET ${GAME}/keys`]: { need: 'edit' },
  [`POST ${GAME}/keys`]: { need: 'edit', body: { count: 1, label: 'Press' }, allowed: 201 },
  [`DELETE ${GAME}/keys/:batch_uid`]: { need: 'edit', params: insertBatch },
  [`POST ${PRIVATE}/redeem`]: { need: 'account', body: { code: 'wrong' }, allowed: 404 },
}
