import { describe, expect, test } from 'bun:test'

import {
  entitlement,
  type EntitlementFacts,
  type HeldLicense,
} from '../../../../src/domain/listings/entitlement.ts'
import { VISIBILITIES } from '../../../../src/domain/listings/visibility.ts'

const PAID: HeldLicense = { isPaid: true, beta: false, pending: false }
const FREE: HeldLicense = { ...PAID, isPaid: false }

function factsOf(
  license: HeldLicense | null | undefined,
  values: Partial<EntitlementFacts> & { isMaker?: boolean; adultContent?: boolean } = {},
): EntitlementFacts {
  const { isMaker = false, adultContent = false, ...rest } = values
  return {
    visibility: 'public',
    isBlocked: false,
    adult: false,
    freeFor: 'nobody',
    person: license === undefined ? null : { isMaker, adultContent, license },
    ...rest,
  }
}

describe('entitlement', () => {
  test('what was bought outlasts the page, what was claimed does not', () => {
    const judge = (license: HeldLicense) =>
      VISIBILITIES.map((visibility) => entitlement(factsOf(license, { visibility }), 'stable'))
    expect(judge(PAID)).toEqual([null, null, null, null])
    expect(judge(FREE)).toEqual(['missing', 'missing', null, null])
    expect(judge({ ...PAID, pending: true })).toEqual(['missing', 'missing', 'pending', 'pending'])
  })

  test('nobody has what is blocked, and its makers are told', () => {
    expect(entitlement(factsOf(PAID, { isBlocked: true }), 'stable')).toBe('missing')
    expect(entitlement(factsOf(null, { isBlocked: true, isMaker: true }), 'stable')).toBe('blocked')
  })

  test('makers have everything on every channel', () => {
    for (const channel of ['stable', 'beta', 'dev', 'nightly'])
      expect(
        entitlement(factsOf(null, { isMaker: true, adult: true, visibility: 'owner' }), channel),
      ).toBeNull()
  })

  test('adult listings need the opt-in, whoever paid', () => {
    for (const license of [PAID, FREE, null, undefined])
      expect(entitlement(factsOf(license, { adult: true, freeFor: 'everyone' }), 'stable')).toBe('adult')
    expect(entitlement(factsOf(PAID, { adult: true, adultContent: true }), 'stable')).toBeNull()
  })

  test.each([
    ['everyone', undefined, null],
    ['everyone', null, null],
    ['accounts', undefined, 'account'],
    ['accounts', null, null],
    ['nobody', undefined, 'account'],
    ['nobody', null, 'license'],
    ['nobody', FREE, null],
  ] as const)('free for %s, %p: %p', (freeFor, license, refusal) => {
    expect(entitlement(factsOf(license, { freeFor }), 'stable')).toBe(refusal)
  })

  test('the beta is for those who joined it, other channels for makers', () => {
    expect(entitlement(factsOf({ ...FREE, beta: true }), 'beta')).toBeNull()
    expect(entitlement(factsOf({ ...FREE, beta: true, pending: true }), 'beta')).toBe('beta')
    expect(entitlement(factsOf(PAID, { freeFor: 'everyone' }), 'beta')).toBe('beta')
    expect(entitlement(factsOf({ ...PAID, beta: true }), 'dev')).toBe('missing')
  })
})
