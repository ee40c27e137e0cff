import { expect, test } from 'bun:test'

import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { listIssues } from '../../../../src/http/input/issues.ts'

const Body = Type.Object({ names: Type.Array(Type.String(), { minItems: 1, maxItems: 2 }) })

test.each([
  [[], 'names must be a list of 1 to 2 entries, each a text, not 0.'],
  [['a', 'b', 'c'], 'names must be a list of 1 to 2 entries, each a text, not 3.'],
  [{}, 'names must be a list of 1 to 2 entries, each a text, not an object.'],
])('a list of the wrong length says its length: %p', (names, message) => {
  expect(listIssues(Value.Errors(Body, { names }))).toEqual([{ path: 'names', message }])
})
