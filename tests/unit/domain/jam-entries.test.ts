import { describe, expect, test } from 'bun:test'

import {
  checkEntry,
  ENTRY_FAULTS,
  type EntryFacts,
  type EntryRules,
} from '../../../src/domain/jams/entries.ts'

const START = new Date('2026-03-01T12:00:00Z')
const RULES: EntryRules = {
  types: [],
  platforms: [],
  webRequired: false,
  madeDuring: false,
  startsAt: START,
}
const FACTS: EntryFacts = {
  assetType: 'game',
  tagline: 'Light a lamp.',
  createdAt: new Date('2026-02-01T12:00:00Z'),
  hasCover: true,
  systems: ['linux'],
  isPlayable: false,
}

describe('a listing in a jam', () => {
  test('fits without rules when it has build, cover and tagline', () => {
    expect(checkEntry(FACTS, RULES)).toEqual([])
  })

  test('is told everything at once, in one order', () => {
    const nothing = { ...FACTS, tagline: ' ', hasCover: false, systems: [] }
    const strict = { ...RULES, types: ['mod'], platforms: ['windows'], webRequired: true, madeDuring: true }
    expect(checkEntry(nothing, strict as EntryRules)).toEqual([...ENTRY_FAULTS])
  })

  test.each([
    [{ types: ['game', 'tool'] }, {}, []],
    [{ types: ['tool'] }, {}, ['type']],
    [{ platforms: ['windows', 'linux'] }, {}, []],
    [{ platforms: ['windows'] }, {}, ['platform']],
    [{ webRequired: true }, {}, ['web']],
    [{ webRequired: true }, { systems: ['web'], isPlayable: true }, []],
    [{ madeDuring: true }, {}, ['made_during']],
    [{ madeDuring: true }, { createdAt: START }, []],
  ])('by %p', (rules, facts, missing) => {
    const [listing, jam] = [
      { ...FACTS, ...facts },
      { ...RULES, ...rules },
    ]
    expect(checkEntry(listing as EntryFacts, jam as EntryRules)).toEqual(missing as never)
  })
})
