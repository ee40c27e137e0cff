import { expect, test } from 'bun:test'

import { parsePage } from '../../../src/lib/paging.ts'
import { slugify } from '../../../src/lib/text/names.ts'

test.each([
  [{}, 1, 20],
  [{ page: '3', page_size: '10' }, 3, 10],
  [{ page: '0', page_size: '0' }, 1, 1],
  [{ page: '-5', page_size: '500' }, 1, 50],
  [{ page: 'two', page_size: 'many' }, 1, 20],
  [{ page: '', page_size: ' ' }, 1, 20],
  [{ page: '2.9', page_size: '1e1' }, 2, 10],
  [{ page: 'Infinity', page_size: '-Infinity' }, 1_000_000, 1],
])('%p is page %p of %p', (query, page, page_size) => {
  expect(parsePage(query)).toEqual({ page, page_size, offset: (page - 1) * page_size })
})

test.each([
  ['Zoë & Max', 'zoe-max'],
  ['  --A__B--  ', 'a-b'],
  ['日本', ''],
  ['x'.repeat(50), 'x'.repeat(10)],
  ['abcdefghi jkl', 'abcdefghi'],
])('%p becomes the slug %p', (text, slug) => {
  expect(slugify(text, 10)).toBe(slug)
})
