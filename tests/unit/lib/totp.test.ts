import { describe, expect, test } from 'bun:test'

import {
  createTotpSecret,
  encodeBase32,
  findStep,
  makeCode,
  stepAt,
  totpAddress,
} from '../../../src/lib/totp.ts'

/** The secret of RFC 6238, appendix B. */
const SECRET = encodeBase32(new TextEncoder().encode('12345678901234567890'))

describe('codes', () => {
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 (%d s)', (seconds, code) => {
    expect(makeCode(SECRET, stepAt(seconds * 1000))).toBe(code)
  })

  test.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])('of a clock that is %d steps off fit: %p', (offset, fits) => {
    const now = 1_234_567_890_000
    const step = stepAt(now) + offset
    expect(findStep(SECRET, makeCode(SECRET, step), now)).toBe(fits ? step : null)
  })

  test.each(['', '12345', '1234567', 'abcdef'])('%p is none', (code) => {
    expect(findStep(SECRET, code, Date.now())).toBeNull()
  })
})

test('a secret has 160 random bits in base32, and its address is what apps read', () => {
  const secret = createTotpSecret()
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(createTotpSecret()).not.toBe(secret)
  const url = new URL(totpAddress(secret, 'Playshelf', 'robin@example.org'))
  expect(url.href).toStartWith('otpauth://totp/Playshelf:robin%40example.org?')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    secret,
    issuer: 'Playshelf',
    digits: '6',
    period: '30',
  })
})
