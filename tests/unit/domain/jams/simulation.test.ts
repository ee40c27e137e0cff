import { describe, expect, test } from 'bun:test'

import { type Simulated, simulateJam } from '../../../helpers/jams/simulate.ts'

const at = ({ counted }: Simulated, share: number) => counted[Math.floor((counted.length - 1) * share)] ?? 0

function describeSpread(name: string, jam: Simulated): string {
  const { counted, diligent, lazy } = jam
  const mean = counted.reduce((sum, count) => sum + count, 0) / counted.length
  const deviation = Math.sqrt(counted.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counted.length)
  return `${name}: ${at(jam, 0)} least, ${at(jam, 0.05)} at 5 %, ${at(jam, 0.5)} median, ${at(jam, 1)} most, deviation ${deviation.toFixed(1)}, ${diligent.toFixed(1)} for the diligent, ${lazy.toFixed(1)} for the lazy`
}

describe('a jam of 500 entrants of different diligence, some of whom cheat', () => {
  const queue = simulateJam('queue', 'lantern')
  const random = simulateJam('random', 'lantern')
  process.stdout.write(`${describeSpread('Queue', queue)}\n${describeSpread('Plain random', random)}\n`)

  test('gives every entry the ratings that it needs to be ranked, which chance does not', () => {
    expect(at(queue, 0)).toBeGreaterThanOrEqual(5)
    expect(at(random, 0)).toBeLessThan(5)
  })

  test('spreads them by what teams gave, and wastes none on a few', () => {
    expect(queue.diligent).toBeGreaterThan(queue.lazy * 1.5)
    expect(Math.abs(random.diligent - random.lazy)).toBeLessThan(3)
  })

  test('counts no vote of the cheaters', () => {
    expect(queue.cheated).toBe(80)
    expect(queue.cheatedCounted).toBe(0)
    expect(queue.faults).toMatchObject({ burst: 60 })
  })
})
