import { expect, test } from 'bun:test'

import { h } from 'preact'

import { AppError } from '../../../src/errors.ts'
import { PAGE_BYTES_MAX, renderBounded } from '../../../src/site/kit/page-size.ts'

/** A list whose items each repeat the whole list. */
function renderList(count: number, length: number): { made: number; text: string | null; error: unknown } {
  let made = 0
  const values = 'x'.repeat(length)
  const List = () =>
    h(
      'ul',
      null,
      Array.from({ length: count }, () => {
        made += 1
        return h('a', { href: values }, 'Remove')
      }),
    )
  try {
    return { text: renderBounded(h(List, {})), made, error: null }
  } catch (error) {
    return { made, text: null, error }
  }
}

test('a page within the bound is rendered', () => {
  expect(renderList(100, 1000).text).toHaveLength(
    '<ul></ul>'.length + 100 * ('<a href="">Remove</a>'.length + 1000),
  )
})

test('a page over the bound stops while it is being made', () => {
  const { made, error } = renderList(100_000, 10_000)
  expect(error).toBeInstanceOf(AppError)
  expect((error as AppError).status).toBe(500)
  expect(made).toBeLessThan(PAGE_BYTES_MAX / 10_000 + 2)
})

test('texts, fragments and raw markup count', () => {
  const long = 'x'.repeat(PAGE_BYTES_MAX)
  for (const page of [
    () => h('p', null, long),
    () => h('p', { dangerouslySetInnerHTML: { __html: long } }),
    () => h('p', null, ['a', long]),
    () => h('p', null, '"'.repeat(PAGE_BYTES_MAX / 4)),
  ])
    expect(() => renderBounded(h(page, {}))).toThrow(AppError)
})

test('a page after one that was too large is rendered', () => {
  expect(renderList(2000, 10_000).error).toBeInstanceOf(AppError)
  expect(renderList(1, 1).error).toBeNull()
})
