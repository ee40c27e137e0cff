import { expect, test } from 'bun:test'

import { Bitset } from '../../../../../src/clients/search/postgres/bitset.ts'
import { NumberedValues } from '../../../../../src/clients/search/postgres/numbered-values.ts'

test('values that nobody has any more leave their numbers to others', () => {
  const tags = new NumberedValues()
  tags.set(1, ['cozy', 'stars'])
  tags.set(2, ['cozy'])
  for (let edit = 0; edit < 1000; edit += 1) tags.set(1, ['cozy', `tag-${edit}`])
  expect(tags.values.length).toBeLessThan(5)
  expect(tags.list().toSorted()).toEqual(['cozy', 'tag-999'])
  const positionsOf = (value: string) => [...tags.findAny([value], new Bitset()).toArray()]
  expect([positionsOf('cozy'), positionsOf('tag-999'), positionsOf('tag-998')]).toEqual([[1, 2], [1], []])
  tags.set(1, [])
  expect(positionsOf('cozy')).toEqual([2])
})
