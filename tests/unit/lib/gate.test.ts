import { describe, expect, test } from 'bun:test'

import { createGate } from '../../../src/lib/gate.ts'

/** Work that ends when told. */
function createWorks(capacity: number) {
  const gate = createGate(capacity)
  const inside: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const enter = (name: string, weight: number) =>
    gate(weight, async () => {
      inside.push(name)
      await new Promise<void>((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve()))
      })
      inside.splice(inside.indexOf(name), 1)
      return name
    })
  return { inside, enter, end: (name: string, error?: Error) => ends.get(name)?.(error) }
}

const settle = () => Bun.sleep(0)

describe('a gate', () => {
  test('lets in what fits and keeps the order of the rest', async () => {
    const { inside, enter, end } = createWorks(4)
    const done = [enter('a', 2), enter('b', 2), enter('large', 4), enter('c', 1)]
    await settle()
    expect(inside).toEqual(['a', 'b'])
    end('a')
    await settle()
    expect(inside).toEqual(['b'])
    end('b')
    await settle()
    expect(inside).toEqual(['large'])
    end('large')
    await settle()
    expect(inside).toEqual(['c'])
    end('c')
    expect(await Promise.all(done)).toEqual(['a', 'b', 'large', 'c'])
  })

  test('gives the room of failed work to the next', async () => {
    const { inside, enter, end } = createWorks(1)
    const failing = enter('a', 1)
    const next = enter('b', 1)
    await settle()
    end('a', new Error('broken'))
    expect(await failing.catch((error: Error) => error.message)).toBe('broken')
    await settle()
    expect(inside).toContain('b')
    end('b')
    expect(await next).toBe('b')
  })
})
