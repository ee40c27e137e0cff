import { describe, expect, test } from 'bun:test'

import { coalesce } from '../../../../src/lib/flow/coalesce.ts'

describe('coalesced reads', () => {
  /** Reads that end when told, with the keys of each. */
  function createSource() {
    const rounds: { keys: readonly string[]; end: (error?: Error) => void }[] = []
    const read = coalesce((keys) => {
      const { promise, resolve, reject } = Promise.withResolvers<Map<string, number>>()
      const found = new Map(keys.filter((key) => key !== 'missing').map((key) => [key, rounds.length]))
      rounds.push({ keys, end: (error) => (error ? reject(error) : resolve(found)) })
      return promise
    })
    return { rounds, read }
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  test('who asks while one is under way shares the next, never the one that began before', async () => {
    const { rounds, read } = createSource()
    const early = [read('a'), read('b'), read('a')]
    await settle()
    const late = [read('a'), read('missing')]
    await settle()
    expect(rounds.map(({ keys }) => keys)).toEqual([['a', 'b']])
    rounds[0]?.end()
    await settle()
    rounds[1]?.end()
    expect(await Promise.all(early)).toEqual([0, 0, 0])
    expect(await Promise.all(late)).toEqual([1, undefined])
  })

  test('a failure reaches those who share it, and nobody after', async () => {
    const { rounds, read } = createSource()
    const failing = Promise.allSettled([read('a'), read('b')])
    await settle()
    const later = read('a')
    rounds[0]?.end(new Error('The database is away'))
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await settle()
    rounds[1]?.end()
    expect(await later).toBe(1)
  })
})
