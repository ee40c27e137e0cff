import { expect, test } from 'bun:test'

import { toSessionParams } from '../../../../src/clients/stripe/open-payments.ts'

const PURCHASE = {
  orderUid: 'x',
  name: 'The Last Ferry',
  amountCents: 1000,
  feeCents: 100,
  currency: 'USD',
  accountId: 'acct_1',
  email: 'a@example.org',
  expiresAt: new Date(0),
  returnUrl: 'https://store.example/orders/x',
}

test.each([
  ['Lantern Games', 'LANTERN GA'],
  ['متجر 🏮 Lantern', 'LANTERN'],
  ['Café Été', 'CAFE ETE'],
  ['متجر', undefined],
  ['2026', undefined],
  ['1234567890 Games', undefined],
  ['"><script>', 'SCRIPT'],
])('a statement of the bank names the store %p as %p', (storeName, suffix) => {
  const { payment_intent_data } = toSessionParams({ ...PURCHASE, storeName }, false)
  expect(payment_intent_data?.statement_descriptor_suffix).toBe(suffix)
})
