import { describe, expect, test } from 'bun:test'

import type { SearchFilter } from '../../../../../src/clients/search/search-engine.ts'
import { parseQuery } from '../../../../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../../../../src/features/catalog/search/request.ts'

function read(text: string) {
  const sent = new URLSearchParams(text)
  return parseQuery(SearchRequest.parse(sent), true).query
}

const long = 'x'.repeat(65)

describe('a search', () => {
  test('is small, however much is sent', () => {
    const names = [
      'q',
      'search',
      'tags',
      'exclude_tags',
      'engine',
      'renderer',
      'genres',
      'os',
      'arch',
      'sort',
    ]
    const values = Array.from({ length: 500 }, (_, at) => `${at}${'y'.repeat(100)}`).join(',')
    const query = read(
      new URLSearchParams(names.map((name) => [name, values] as [string, string])).toString(),
    )
    expect(JSON.stringify({ ...query, facets: [] }).length).toBeLessThan(2000)
  })

  test.each<[string, SearchFilter]>([
    ['tags', { kind: 'has', field: 'tags', values: ['?'] }],
    ['exclude_tags', { kind: 'not', of: { kind: 'has', field: 'tags', values: ['?'] } }],
  ])('with a %s of more than 64 characters asks for one that nobody has', (name, filter) => {
    expect(read(`${name}=${long}`).filter).toEqual({ kind: 'all', of: [filter] })
    expect(read(`${name}=${long.slice(1)}`).filter).not.toEqual({ kind: 'all', of: [filter] })
  })

  test('for a version of more than 64 characters finds nothing', () => {
    const version: SearchFilter = { kind: 'compat', engine: null, version: '?', renderer: null }
    expect(read(`engine_version=1.2-${long}`).filter).toEqual({
      kind: 'all',
      of: [{ kind: 'any', of: [version] }],
    })
  })

  test('ignores long values where it ignores every unknown one', () => {
    expect(read(`genres=${long}&license=${long}&players=${'1'.repeat(65)}`)).toEqual(read(''))
  })

  test('takes the first hundred values of a list', () => {
    const tags = Array.from({ length: 150 }, (_, at) => `tag-${at}`)
    expect(read(`tags=${tags.join(',')}`).tags).toEqual(tags.slice(0, 100))
    expect(read(tags.map((tag) => `tags=${tag}`).join('&')).tags).toEqual(tags.slice(0, 100))
  })

  test('takes the first thousand characters of a text', () => {
    expect(read(`q=${'a '.repeat(2000)}`).text).toHaveLength(1000)
  })
})
