import { expect, test } from 'bun:test'

import {
  amountsFor,
  findPurchaseFault,
  findSaleFault,
  type PurchaseFacts,
  titleOfOrder,
} from '../../../../src/domain/listings/orders.ts'

const ACCOUNT = { goneAt: null, chargesEnabled: true }
const FIXED = { adult: false, priceCents: 1000, payMore: false }
const FACTS: PurchaseFacts = {
  game: FIXED,
  visibility: 'public',
  account: ACCOUNT,
  edition: null,
  isOnTeam: false,
  allowsAdult: false,
  isOwned: false,
  amountCents: undefined,
}
const MORE = { ...FIXED, payMore: true }
const FREE = { ...FIXED, priceCents: 0 }
const SUPPORTED = { ...FREE, payMore: true }

test.each<[string, Partial<PurchaseFacts>, ReturnType<typeof findPurchaseFault>]>([
  ['a public listing with a price', {}, null],
  ['its own team', { isOnTeam: true }, 'on_team'],
  ['an adult listing, without adult content in the account', { game: { ...FIXED, adult: true } }, 'adult'],
  ['an adult listing, with it', { game: { ...FIXED, adult: true }, allowsAdult: true }, null],
  ['an invisible listing', { visibility: 'invisible' }, 'hidden'],
  ['an owner without an account', { account: undefined }, 'no_account'],
  ['an account that is gone', { account: { ...ACCOUNT, goneAt: new Date() } }, 'no_account'],
  ['an account without charges', { account: { ...ACCOUNT, chargesEnabled: false } }, 'account_incomplete'],
  ['an edition of another listing', { edition: undefined }, 'edition_missing'],
  ['an edition that is not offered', { edition: { active: false, priceCents: 1 } }, 'edition_inactive'],
  ['what the buyer has', { isOwned: true }, 'owned'],
  ['a free listing', { game: FREE }, 'free'],
  ['an edition of a free listing', { game: FREE, edition: { active: true, priceCents: 500 } }, null],
  ['exactly the price', { amountCents: 1000 }, null],
  ['less than the price', { amountCents: 999 }, 'amount'],
  ['more than the price', { amountCents: 1001 }, 'amount'],
  ['ten times the price, where more is allowed', { game: MORE, amountCents: 10_000 }, null],
  ['more than ten times the price', { game: MORE, amountCents: 10_001 }, 'amount'],
  ['less than the price, where more is allowed', { game: MORE, amountCents: 999 }, 'amount'],
  ['support without an amount', { game: SUPPORTED }, 'amount_missing'],
  ['support of 98 cents', { game: SUPPORTED, amountCents: 98 }, 'amount'],
  ['support of 99 cents', { game: SUPPORTED, amountCents: 99 }, null],
  ['support of 10,000 dollars', { game: SUPPORTED, amountCents: 1_000_000 }, 'amount'],
  ['the first of several reasons', { isOnTeam: true, account: undefined, isOwned: true }, 'on_team'],
  ['an owner without an account before an edition', { account: undefined, isOwned: true }, 'no_account'],
])('%s: %p is %p', (_, facts, fault) => {
  expect(findPurchaseFault({ ...FACTS, ...facts })).toBe(fault)
})

test('whether a listing is for sale does not depend on its price', () => {
  expect(findSaleFault({ visibility: 'public', account: ACCOUNT })).toBeNull()
  expect(findSaleFault({ visibility: 'draft', account: ACCOUNT })).toBe('hidden')
  expect(amountsFor(0, false)).toBeNull()
})

test('the title of an order names its edition', () => {
  expect(titleOfOrder({ gameName: 'Ferry', editionName: null })).toBe('Ferry')
  expect(titleOfOrder({ gameName: 'Ferry', editionName: 'Deluxe' })).toBe('Ferry (Deluxe)')
})
