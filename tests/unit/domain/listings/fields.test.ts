import { describe, expect, test } from 'bun:test'

import {
  entitlement,
  type EntitlementFacts,
  type HeldLicense,
} from '../../../../src/domain/listings/entitlement.ts'
import { AUTHORSHIP_LABELS } from '../../../../src/domain/listings/fields.ts'
import { ASSET_TYPES, childKindOf, PARENT_RULES } from '../../../../src/domain/listings/listing.ts'
import {
  amountsFor,
  findPurchaseFault,
  findSaleFault,
  type PurchaseFacts,
  titleOfOrder,
} from '../../../../src/domain/listings/orders.ts'
import { isSlug, normalizeSlug, SLUG_MAX } from '../../../../src/domain/listings/slugs.ts'
import { isAllowedPrice, isPaidPrice } from '../../../../src/domain/listings/store-rules.ts'
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

describe('slugs', () => {
  test.each([
    ['cozy', 'cozy'],
    ['Cozy', 'cozy'],
    ['LOCAL CO-OP', 'local-co-op'],
    ['pixel_art', 'pixel-art'],
    ['turn  based', 'turn-based'],
    ['turn _ based', 'turn-based'],
    ['  space  ', 'space'],
    ['tab\there', 'tab-here'],
    ['no\u00A0break', 'no-break'],
    ['2d', '2d'],
  ])('%j is kept as %j', (text, slug) => {
    expect(normalizeSlug(text)).toBe(slug)
    expect(isSlug(slug)).toBe(true)
  })

  test('normalising again changes nothing', () => {
    for (const text of ['Local Co-Op', 'pixel_art', 'a  _b', 'ÄÖ ü']) {
      expect(normalizeSlug(normalizeSlug(text))).toBe(normalizeSlug(text))
    }
  })

  test.each([
    [''],
    [' '],
    ['Cozy'],
    ['two words'],
    ['under_score'],
    ['-cozy'],
    ['cozy-'],
    ['co--op'],
    ['c++'],
    ['café'],
    ['模组'],
    ['a/b'],
    ['a.b'],
    ['a\n'],
    ['\u212A'],
    ['x'.repeat(SLUG_MAX + 1)],
  ])('%j is no slug', (text) => {
    expect(isSlug(text)).toBe(false)
  })

  test('have up to 32 characters', () => {
    expect(isSlug('x'.repeat(32))).toBe(true)
  })
})

describe('types', () => {
  test('a parent: none for game, game_asset, dev_asset; optional for application; required for tool, mod, plugin', () => {
    expect(Object.groupBy(ASSET_TYPES, (type) => PARENT_RULES[type])).toEqual({
      none: ['game', 'game_asset', 'dev_asset'],
      optional: ['application'],
      required: ['tool', 'mod', 'plugin'],
    })
  })

  test('a plugin counts among mods', () => {
    expect((['mod', 'plugin', 'tool', 'application'] as const).map(childKindOf)).toEqual([
      'mod',
      'mod',
      'tool',
      'tool',
    ])
  })
})

test('authorship labels', () => {
  expect(AUTHORSHIP_LABELS).toEqual({
    human: 'made by people',
    human_agent: 'people with AI agents',
    agent_heavy: 'mostly AI agents',
  })
})

describe('orders', () => {
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
})

test.each([
  [-1, false, false],
  [0, true, false],
  [1, false, false],
  [98, false, false],
  [99, true, true],
  [99.5, false, false],
  [9999, true, true],
  [10_000, false, false],
  [Number.NaN, false, false],
])('%d cents: allowed %p, paid %p', (cents, isAllowed, isPaid) => {
  expect(isAllowedPrice(cents)).toBe(isAllowed)
  expect(isPaidPrice(cents)).toBe(isPaid)
})
