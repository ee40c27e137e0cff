import { expect, test } from 'bun:test'

import { createTurns } from '../../../src/lib/turns.ts'

test('as many hold a place as there are, the others follow in the order they came', async () => {
  const turns = createTurns(2, 0)
  const began: string[] = []
  const take = async (name: string) => {
    const turn = await turns.take()
    began.push(name)
    return turn
  }
  const [first, second] = await Promise.all([take('first'), take('second')])
  const third = take('third')
  const fourth = take('fourth')
  expect(began).toEqual(['first', 'second'])
  second[Symbol.dispose]()
  ;(await third)[Symbol.dispose]()
  await fourth
  expect(began).toEqual(['first', 'second', 'third', 'fourth'])
  first[Symbol.dispose]()
  await take('fifth')
  expect(began).toHaveLength(5)
})

test('a place is wanted while somebody waits, and due when the turn has also lasted its time', async () => {
  const [short, long] = [createTurns(1, 0), createTurns(1, 3_600_000)]
  const [brief, lasting] = [await short.take(), await long.take()]
  expect([brief.isWanted(), brief.isDue()]).toEqual([false, false])
  const next = [short.take(), long.take()]
  expect([brief.isWanted(), brief.isDue()]).toEqual([true, true])
  expect([lasting.isWanted(), lasting.isDue()]).toEqual([true, false])
  brief[Symbol.dispose]()
  lasting[Symbol.dispose]()
  expect((await Promise.all(next)).map((turn) => turn.isWanted())).toEqual([false, false])
})
