import { describe, expect, test } from 'bun:test'

import { AppError } from '../../../../src/errors.ts'
import { createReceiveBudget, type Receipt } from '../../../../src/lib/flow/buffer-memory.ts'

const isEnded = ({ signal }: Receipt) => signal.aborted

describe('when the memory for files that arrive runs out', () => {
  test('the one that began first is ended, until the rest fits', () => {
    const budget = createReceiveBudget(100)
    const [a, b, c] = [budget.open(), budget.open(), budget.open()]
    b.add(40)
    a.add(30)
    c.add(30)
    expect([a, b, c].map(isEnded)).toEqual([false, false, false])
    c.add(1)
    expect([a, b, c].map(isEnded)).toEqual([true, false, false])
    expect(a.signal.reason).toBeInstanceOf(AppError)
    expect(a.signal.reason).toMatchObject({ code: 4290, status: 429 })
    c.add(70)
    expect([b, c].map(isEnded)).toEqual([true, true])
  })

  test('those that have arrived stay, and count until they are done', () => {
    const budget = createReceiveBudget(100)
    const arrived = budget.open()
    arrived.add(90)
    arrived.complete()
    const late = budget.open()
    late.add(11)
    expect([arrived, late].map(isEnded)).toEqual([false, true])
    arrived[Symbol.dispose]()
    const next = budget.open()
    next.add(100)
    expect(isEnded(next)).toBe(false)
  })

  test('what is ended or done frees its bytes once', () => {
    const budget = createReceiveBudget(100)
    const [ended, done] = [budget.open(), budget.open()]
    ended.add(60)
    done.add(60)
    expect([ended, done].map(isEnded)).toEqual([true, false])
    ended.add(60)
    for (const receipt of [ended, ended, done, done]) receipt[Symbol.dispose]()
    const [a, b] = [budget.open(), budget.open()]
    a.add(100)
    b.add(1)
    expect([a, b].map(isEnded)).toEqual([true, false])
  })
})
