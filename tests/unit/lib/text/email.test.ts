import { describe, expect, test } from 'bun:test'

import { isEmail } from '../../../../src/lib/text/email.ts'

describe('an e-mail address', () => {
  test.each([
    'press@example.org',
    'a@b.co',
    'first.last+press@mail.example.co.uk',
    "o'brien_1@xn--bcher-kva.example",
    `${'x'.repeat(64)}@example.org`,
  ])('%s is one', (text) => {
    expect(isEmail(text)).toBe(true)
  })

  test.each([
    '',
    'press',
    'press@',
    '@example.org',
    'press@localhost',
    'press@@example.org',
    'a@b@example.org',
    'press@example..org',
    'press@.example.org',
    'press@example.org.',
    'press@-example.org',
    'press@example-.org',
    '.press@example.org',
    'press.@example.org',
    'pr..ess@example.org',
    'pr ess@example.org',
    ' press@example.org',
    'press@example.org\n',
    'Press <press@example.org>',
    'mailto:press@example.org',
    '"press"@example.org',
    'prëss@example.org',
    `${'x'.repeat(65)}@example.org`,
    `press@${'x'.repeat(64)}.org`,
    `press@${'example.'.repeat(32)}org`,
  ])('%j is none', (text) => {
    expect(isEmail(text)).toBe(false)
  })
})
