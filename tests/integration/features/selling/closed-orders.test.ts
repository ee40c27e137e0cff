import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { forgetAccount } from '../../../../src/features/accounts/account-cache.ts'
import { readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { countMails, waitForMail } from '../../../helpers/mails.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import type { Person } from '../../../helpers/people.ts'
import {
  askToCheckOut,
  buy,
  chargeOf,
  checkOut,
  findLicense,
  findOrder,
  givenBackOf,
  holdUp,
  readOrder,
  sessionIdOf,
  signUpBuyer,
  signUpSeller,
  useShop,
  waitForShare,
  waitForStatus,
} from '../../../helpers/selling/selling.ts'
import { waitFor } from '../../../helpers/wait.ts'

interface Sale {
  seller: Person
  buyer: Person
  game: GameRow
}

const shop = useShop()
let operator: Person
beforeAll(async () => {
  operator = await signUpOperator(shop.server)
})
beforeEach(() => shop.stripe.watch(null))

async function offer(adult: boolean): Promise<Sale> {
  const seller = await signUpSeller(shop)
  const buyer = await signUpBuyer(shop)
  if (adult) await optIn(buyer)
  const values = { priceCents: 1000, adult, ...(adult && { contentWarnings: ['violence' as const] }) }
  return { seller, buyer, game: await insertPublicGame(shop.server, seller, values) }
}

async function optIn({ uid }: Person): Promise<void> {
  const { deps } = shop.server
  await deps.db.update(users).set({ adultContent: true }).where(eq(users.id, uid))
  await forgetAccount(deps, deps.db, uid)
}

async function change(person: Person, method: string, path: string, body: object): Promise<void> {
  const answer = await person.json(method, path, body)
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}

const setAdultPolicy = (policy: string) =>
  change(operator, 'PATCH', '/api/v1/operator/settings', { adult_content: policy })

/** Each ends a sale; `undo` leaves the store as it was for the others. */
const ENDINGS: readonly {
  name: string
  adult?: true
  end(sale: Sale): Promise<unknown>
  undo?(): Promise<unknown>
}[] = [
  {
    name: 'the page is taken down',
    end: ({ game }) => act(operator, `listings/${game.uid}/take-down`, { reason: 'Stolen' }),
  },
  {
    name: 'the page is hidden',
    end: ({ seller, game }) =>
      change(seller, 'PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'draft' }),
  },
  {
    name: 'the developer is suspended',
    end: ({ seller }) => act(operator, `accounts/${seller.uid}/suspend`, { reason: 'Fraud' }),
  },
  {
    name: 'the buyer is suspended',
    end: ({ buyer }) => act(operator, `accounts/${buyer.uid}/suspend`, { reason: 'Stolen cards' }),
  },
  {
    name: 'the store no longer allows adult content',
    adult: true,
    end: () => setAdultPolicy('not_allowed'),
    undo: () => setAdultPolicy('allowed'),
  },
  {
    name: 'the buyer turns adult content off',
    adult: true,
    end: ({ buyer }) => change(buyer, 'PATCH', '/api/v1/private/me', { adult_content: false }),
  },
  {
    name: 'the page becomes adult, and the buyer has not turned that on',
    end: ({ seller, game }) =>
      change(seller, 'PATCH', `/api/v1/private/games/${game.uid}`, {
        adult: true,
        content_warnings: ['violence'],
      }),
  },
]

describe.each(ENDINGS)('open orders when $name', ({ adult = false, end, undo }) => {
  test('are closed with it, and cannot be paid', async () => {
    const sale = await offer(adult)
    const { order_uid, url } = await checkOut(sale.buyer, sale.game.uid)
    await end(sale)
    expect(await findOrder(shop.server, order_uid)).toMatchObject({ status: 'expired', paidAt: null })
    const isEnded = () => shop.stripe.books.sessions.get(sessionIdOf(url))?.status === 'expired'
    await waitFor('the end of the session at Stripe', isEnded)
    expect(() => shop.stripe.pay(url)).toThrow()
    await undo?.()
  })

  test('and are paid at the same moment: everything is given back, and there is no licence', async () => {
    const sale = await offer(adult)
    const { order_uid, url } = await checkOut(sale.buyer, sale.game.uid)
    shop.stripe.watch((call, when) => {
      if (call !== `POST checkout/sessions/${sessionIdOf(url)}/expire` || when !== 'before') return
      shop.stripe.watch(null)
      shop.stripe.pay(url)
    })
    await end(sale)
    await waitForStatus(shop.server, order_uid, 'refunded')
    expect(await givenBackOf(shop, order_uid)).toEqual({ refunded: 1000, feeBack: 100, reversed: 1000 })
    expect(await findLicense(shop.server, sale.buyer, sale.game.uid)).toBeNull()
    const mail = await waitForMail(shop.server, sale.buyer.email, `Refund: ${sale.game.name}`)
    expect(mail.text).toContain('closed before your payment arrived')
    expect(await countMails(shop.server, sale.buyer.email, `Your order: ${sale.game.name}`)).toBe(0)
    await undo?.()
  })
})

test('what was paid for a closed order and disputed goes back once the dispute is won', async () => {
  const { seller, buyer, game } = await offer(false)
  const { order_uid, url } = await checkOut(buyer, game.uid)
  const id = sessionIdOf(url)
  const paymentId = () => shop.stripe.books.sessions.get(id)?.payment_intent ?? ''
  shop.stripe.watch((call, when) => {
    if (call !== `POST checkout/sessions/${id}/expire` || when !== 'before') return
    shop.stripe.watch(null)
    shop.stripe.pay(url)
    shop.stripe.openDispute(paymentId())
  })
  await change(seller, 'PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'draft' })
  await waitForStatus(shop.server, order_uid, 'disputed')
  shop.stripe.closeDispute(paymentId(), 'won')
  await waitForStatus(shop.server, order_uid, 'refunded')
  const charge = chargeOf(shop, paymentId())
  await waitForShare(shop, charge, 0)
  expect(charge.amount_refunded).toBe(1000)
  expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
})

test('an order that is being made while the page is taken down is refused', async () => {
  const { buyer, game } = await offer(false)
  const { begun } = await holdUp(
    shop.server,
    buyer,
    game.uid,
    () => askToCheckOut(buyer, game.uid),
    async () => void (await act(operator, `listings/${game.uid}/take-down`, { reason: 'Stolen' })),
  )
  expect((await begun).status).not.toBe(201)
})

test('an order whose page at Stripe is being made while its page is hidden is not handed out', async () => {
  const { seller, buyer, game } = await offer(false)
  shop.stripe.watch(async (call, when) => {
    if (call !== 'POST checkout/sessions' || when !== 'after') return
    shop.stripe.watch(null)
    await change(seller, 'PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'owner' })
  })
  const answer = await askToCheckOut(buyer, game.uid)
  expect([answer.status, (await readFailure(answer)).code]).toEqual([404, 4040])
})

test('a listing that people paid for cannot be deleted, once all of it was given back it can', async () => {
  const { seller, buyer, game } = await offer(false)
  const { uid: order_uid } = await buy(shop, buyer, game.uid)
  const path = `/api/v1/private/games/${game.uid}`
  await change(seller, 'PUT', `${path}/visibility`, { visibility: 'draft' })
  const refused = await readFailure(await seller.json('DELETE', path))
  expect([refused.status, refused.code]).toEqual([409, 4090])
  expect(refused.message).toContain('no longer sold')
  await change(buyer, 'POST', `/api/v1/private/orders/${order_uid}/refund`, {})
  expect((await seller.json('DELETE', path)).status).toBe(200)
})

test('an order that was paid before keeps its licence, and one of another buyer and game stays open', async () => {
  const { seller, buyer, game } = await offer(false)
  const { uid: order_uid } = await buy(shop, buyer, game.uid)
  const other = await offer(false)
  const open = await checkOut(other.buyer, other.game.uid)
  await change(seller, 'PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'draft' })
  expect(await readOrder(buyer, order_uid)).toMatchObject({ status: 'paid' })
  expect(await findLicense(shop.server, buyer, game.uid)).not.toBeNull()
  expect((await findOrder(shop.server, open.order_uid)).status).toBe('open')
})
