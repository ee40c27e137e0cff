import { expect, test } from 'bun:test'

import { initialsOf } from '../../../../src/lib/text/initials.ts'

test.each([
  ['ada', 'A'],
  ['Ada Loom', 'AL'],
  ['The Lantern Works', 'TW'],
  ['lantern-works', 'LW'],
  ['студия маяк', 'СМ'],
  ['灯台工房', '灯'],
  ['ランタン 🏮', 'ラ'],
  ['🏮🏮', '🏮'],
  ['नमस्ते', 'न'],
  ['e\u0301clair', 'E\u0301'],
  ['!', '!'],
  ['ßtudio', 'SS'],
])('%s has the initials %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})
