import { expect, test } from 'bun:test'

import { createMemoryRateStore } from '../../../../../src/clients/rate-store/rate-store.ts'
import { isWithinBudget, mailboxOf } from '../../../../../src/features/accounts/email/mailed-links.ts'

const HOUR_MS = 3_600_000

test('a mailbox gets a few mails an hour and a day, and after that one an hour for as long as somebody asks', async () => {
  let time = 0
  const rates = createMemoryRateStore(() => time)
  const ask = async () => {
    const { count: thisHour } = await rates.add('hour', HOUR_MS)
    const { count: today } = await rates.add('day', 24 * HOUR_MS)
    return isWithinBudget(thisHour, today)
  }
  const sent: number[] = []
  for (let hour = 0; hour < 24; hour += 1) {
    let mails = 0
    for (let times = 0; times < 50; times += 1) if (await ask()) mails += 1
    sent.push(mails)
    time += HOUR_MS
  }
  expect(sent[0]).toBe(5)
  expect(sent.slice(1)).toEqual(Array.from({ length: 23 }, () => 1))
})

test.each([
  ['Ada@Example.org', 'ada@example.org'],
  ['ada+shop@example.org', 'ada@example.org'],
  ['ada+a+b@example.org', 'ada@example.org'],
  ['+ada@example.org', '+ada@example.org'],
])('%s is delivered to %s', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox)
})
