import { describe, expect, test } from 'bun:test'

import { parseSlotName } from '../../../../src/domain/saves.ts'
import { toSlot } from '../../../../src/features/play/sdk/input.ts'
import { createLocalSaves, type LocalStore } from '../../../../src/features/play/sdk/local-saves.ts'
import { SaveError } from '../../../../src/features/play/sdk/types.ts'

const PIECES = [
  '/ \\ : * ? " < > | \n \0 \t . .. (2) a Z 0'.split(' '),
  [' ', 'é', 'e\u0301', '🦊', '\ud83e', '\u200b', '\u202e', '\u2028', '\u00ad', '\ufeff', '\u00a0', '한'],
  ['con', 'NUL', 'com1', 'lpt²', 'conin$', 'aux.sav', 'COM0', 'x'.repeat(63), '🦊'.repeat(64)],
].flat()

test('a game may name its slots exactly as the store keeps them', () => {
  const names = PIECES.flatMap((one) => [one, ...PIECES.flatMap((two) => [one + two, `${one}${two}x`])])
  for (const name of ['', ...names]) {
    let slot: string | null = null
    try {
      slot = toSlot(name)
    } catch (error) {
      expect(error).toBeInstanceOf(SaveError)
    }
    expect([name, slot]).toEqual([name, parseSlotName(name)])
  }
  for (const none of [undefined, null, 1, {}]) expect(() => toSlot(none)).toThrow(SaveError)
})

describe('saves in a browser that several people use', () => {
  function open() {
    const kept = new Map<string, string>()
    const store: LocalStore = {
      get length() {
        return kept.size
      },
      key: (index) => [...kept.keys()][index] ?? null,
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    }
    const of = (player: string | null) => {
      const saves = createLocalSaves(() => store, player)
      const slots = () => saves.list().map(({ slot }) => slot)
      const text = (slot: string) => {
        const bytes = saves.read(slot)
        return bytes && new TextDecoder().decode(bytes)
      }
      const write = (slot: string, value: string) => saves.write(slot, new TextEncoder().encode(value))
      const offered = () => saves.listOffered().map(({ slot }) => slot)
      return { ...saves, slots, text, write, offered }
    }
    return { kept, guest: of(null), one: of('one'), other: of('other') }
  }

  test('each player has their own, over those of guests; guests see only theirs', () => {
    const { guest, one, other } = open()
    guest.write('main', 'guest')
    expect([one.text('main'), other.text('main')]).toEqual(['guest', 'guest'])
    one.write('main', 'one')
    one.write('more', 'one')
    expect([one.slots(), other.slots(), guest.slots()]).toEqual([['main', 'more'], ['main'], ['main']])
    expect([one.text('main'), other.text('main'), guest.text('main')]).toEqual(['one', 'guest', 'guest'])
    expect([other.text('more'), guest.text('more')]).toEqual([null, null])
  })

  test('a decision about what guests saved is of one player', () => {
    const { guest, one, other } = open()
    guest.write('main', 'guest')
    one.leave()
    expect([one.offered(), other.offered()]).toEqual([[], ['main']])
    expect([one.text('main'), other.text('main'), guest.text('main')]).toEqual([null, 'guest', 'guest'])
    one.write('main', 'one')
    expect([one.text('main'), guest.text('main')]).toEqual(['one', 'guest'])
  })

  test('what is taken over goes, and under it what guests keep stays theirs', () => {
    const { guest, one } = open()
    guest.write('main', 'guest')
    one.write('main', 'one')
    one.remove('main')
    expect([one.text('main'), guest.text('main')]).toEqual(['guest', 'guest'])
    one.remove('main')
    expect(guest.text('main')).toBeNull()
  })

  test('a clock that is wrong by a day offers nothing twice', () => {
    const { kept, guest, one } = open()
    kept.set('playshelf.save.main', `${Date.now() + 86_400_000}:later`)
    expect(one.offered()).toEqual(['main'])
    one.leave()
    expect(one.offered()).toEqual([])
    expect(guest.text('main')).toBe('later')
  })

  test('what something else wrote there is no save', () => {
    const { kept, one, guest } = open()
    for (const value of ['', 'x', ':x', '1', 'null', `${'9'.repeat(30)}:x`])
      kept.set('playshelf.save.main', value)
    expect([guest.slots(), one.slots(), guest.text('main')]).toEqual([[], [], null])
  })
})
