import { describe, expect, test } from 'bun:test'

import { HITS_MAX } from '../../../../../src/clients/search/search-engine.ts'
import { readQuery } from '../../../../../src/features/catalog/search/query.ts'

function read(text: string, withAdult = true) {
  const sent = new URLSearchParams(text)
  return readQuery((name) => sent.getAll(name), withAdult)
}

function filtersOf(text: string, withAdult = true) {
  const { filter } = read(text, withAdult).query
  return filter.kind === 'all' ? filter.of : []
}

describe('a query', () => {
  test('without anything filters nothing but adult listings', () => {
    expect(filtersOf('')).toEqual([])
    expect(filtersOf('', false)).toEqual([{ kind: 'not', of: { kind: 'adult' } }])
  })

  test.each([
    ['page=1', { offset: 0, limit: 20 }],
    ['page=500', { offset: HITS_MAX - 20, limit: 20 }],
    ['page=501', { offset: 0, limit: 0 }],
    ['page=334&page_size=30', { offset: 9990, limit: 10 }],
    ['page=1000000', { offset: 0, limit: 0 }],
  ])('never asks past the end of what can be turned to: %s', (text, window) => {
    expect(read(text).query).toMatchObject(window)
  })

  test('takes one licence, one version and one renderer', () => {
    expect(filtersOf('license=nonsense,cc0,cc-by')).toEqual([
      { kind: 'has', field: 'license_kind', values: ['cc0'] },
    ])
    expect(filtersOf('engine=godot&engine_version=latest,4.2&renderer=Vulkan,metal')).toEqual([
      { kind: 'any', of: [{ kind: 'compat', engine: 'godot', version: '4.2', renderer: 'vulkan' }] },
    ])
  })

  test('of system and architecture looks for both on one build', () => {
    expect(filtersOf('os=linux,web&arch=arm,wasm')).toEqual([
      {
        kind: 'has',
        field: 'platforms',
        values: ['linux|arm32', 'linux|wasm32', 'web|arm32', 'web|wasm32'],
      },
    ])
  })

  test('counts a facet without what was picked in it', () => {
    const { query } = read('genres=rpg&os=linux&arch=x86&engine=godot&engine_version=4')
    const filterOf = (wanted: string) => query.facets.find(({ facet }) => facet === wanted)?.filter
    const genres = { kind: 'has', field: 'genres', values: ['rpg'] } as const
    const os = { kind: 'has', field: 'platforms', values: ['linux|x86'] } as const
    const compat = (engine: string | null) =>
      ({ kind: 'any', of: [{ kind: 'compat', engine, version: '4', renderer: null }] }) as const
    expect(filterOf('tone')).toEqual({ kind: 'all', of: [genres, os, compat('godot')] })
    expect(filterOf('genres')).toEqual({ kind: 'all', of: [os, compat('godot')] })
    expect(filterOf('os')).toEqual({ kind: 'all', of: [genres, compat('godot')] })
    expect(filterOf('engines')).toEqual({ kind: 'all', of: [genres, os, compat(null)] })
  })

  test('does not grow without bound', () => {
    const many = Array.from({ length: 5000 }, (_, at) => `tag-${at}`).join(',')
    expect(read(`tags=${many}`).query.tags).toHaveLength(100)
  })
})
