import { expect, test } from 'bun:test'

import { dropWord } from '../../../src/site/catalog/understood.tsx'

test.each([
  ['cozy harbour', 'cozy', false, 'harbour'],
  ['a Cozy, harbour', 'cozy', false, 'a harbour'],
  ['games for steam deck', 'steam deck', false, 'games for'],
  ['games for Steam-Deck', 'steam deck', false, 'games for'],
  ['harbour -horror', 'horror', true, 'harbour'],
  ['harbour no horror please', 'horror', true, 'harbour please'],
  ['harbour Without horror', 'horror', true, 'harbour'],
  ['horror -horror', 'horror', true, 'horror'],
  ['-horror horror', 'horror', false, '-horror'],
  ['"no horror" harbour', 'horror', true, '"no horror" harbour'],
  ['harbour', 'cozy', false, 'harbour'],
  ['Café', 'cafe', false, ''],
])('%s without %s', (text, word, excludes, left) => {
  expect(dropWord(text, { word, excludes })).toBe(left)
})
