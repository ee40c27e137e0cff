import { expect, test } from 'bun:test'

import { createSteadyShelf, type Kept, type Shelf } from '../../../../src/features/play/sdk/steady-shelf.ts'

/** As a database of a browser, that takes so many writes. */
function openDisk(room = Number.POSITIVE_INFINITY) {
  const rows = new Map<number, Kept>()
  let last = 0
  const spend = () => {
    room -= 1
    if (room < 0) throw new DOMException('Full', 'QuotaExceededError')
  }
  const sorted = () => [...rows.values()].sort((one, other) => (one.id ?? 0) - (other.id ?? 0))
  const disk: Shelf = {
    get: async (id) => rows.get(id),
    newest: async (name) => sorted().findLast(({ slot }) => slot === name),
    waiting: async () => sorted().flatMap(({ id = 0, slot, waits }) => (waits ? [[id, slot]] : [])),
    slots: async () => [...new Set(sorted().map(({ slot }) => slot))],
    async put(kept) {
      spend()
      const id = kept.id ?? (last += 1)
      rows.set(id, { ...kept, id })
      return id
    },
    async remove(ids) {
      spend()
      for (const id of ids) rows.delete(id)
    },
  }
  return disk
}

const keep = (slot: string, text: string): Kept => ({
  slot,
  bytes: new TextEncoder().encode(text).buffer,
  at: new Date(0).toISOString(),
  base: null,
  waits: slot,
})
const sent = ({ waits: _, ...kept }: Kept, id: number): Kept => ({
  ...kept,
  id,
  revision: `r${id}`,
  sent: kept.slot,
})
const textOf = (kept: Kept | undefined) => kept && new TextDecoder().decode(kept.bytes)

test.each([0, 1, 2, 3, 100, null])(
  'with a disk that takes %p writes, what is kept is found in the order of the writes',
  async (room) => {
    const shelf = createSteadyShelf(room === null ? null : openDisk(room))
    const ids: number[] = []
    for (const [slot, text] of ['one', 'two', 'three'].map((text) => ['main', text] as const))
      ids.push(await shelf.put(keep(slot, text)))
    const other = await shelf.put(keep('other', 'a'))
    expect(await shelf.waiting()).toEqual([
      ...ids.map((id) => [id, 'main'] as const),
      [other, 'other'],
    ] as never)
    expect(textOf(await shelf.newest('main'))).toBe('three')
    expect((await shelf.slots()).toSorted()).toEqual(['main', 'other'])
    expect(ids.map((id) => shelf.isLasting(id))).toEqual(ids.map((_, index) => index < (room ?? 0)))

    const [first = 0, second = 0, third = 0] = ids
    await shelf.put(sent(keep('main', 'one'), first))
    expect((await shelf.get(first))?.revision).toBe(`r${first}`)
    expect((await shelf.waiting()).map(([id]) => id)).toEqual([second, third, other])
    await shelf.remove([second, other])
    expect((await shelf.waiting()).map(([id]) => id)).toEqual([third])
    expect(await shelf.get(other)).toBeUndefined()
    expect(await shelf.newest('other')).toBeUndefined()
    await shelf.put(sent(keep('main', 'three'), third))
    expect(await shelf.waiting()).toEqual([])
    expect(textOf(await shelf.newest('main'))).toBe('three')
    expect(await shelf.newest('nothing')).toBeUndefined()
  },
)
