import { coversVersion } from '../../../../domain/listings/engine-range.ts'
import type { CompatRange } from '../../../../domain/listings/search-document.ts'
import type { SearchFilter } from '../../search-engine.ts'
import type { Bitset } from '../index/bitset.ts'
import type { Columns } from '../index/columns.ts'

type Compat = Extract<SearchFilter, { kind: 'compat' }>

export interface Evaluator {
  /** The result is shared and must not be modified. */
  evaluate(filter: SearchFilter): Bitset
  /** Call when nothing is evaluated any more: only this result is still needed. */
  releaseExcept(needed: Bitset): void
}

/** Evaluates the filters of one search; shared parts are evaluated once. */
export function createEvaluator(columns: Columns): Evaluator {
  const known = new Map<SearchFilter, Bitset>()

  function evaluate(filter: SearchFilter): Bitset {
    const found = known.get(filter) ?? workOut(columns, filter, evaluate)
    known.set(filter, found)
    return found
  }

  return {
    evaluate,
    releaseExcept(needed) {
      for (const bits of new Set(known.values()))
        if (bits !== needed && bits !== columns.adult) bits.release()
    },
  }
}

function workOut(columns: Columns, filter: SearchFilter, evaluate: (part: SearchFilter) => Bitset): Bitset {
  const { alive, compat } = columns
  switch (filter.kind) {
    case 'all':
      return filter.of.reduce(
        (left, part) => (part.kind === 'not' ? left.without(evaluate(part.of)) : left.and(evaluate(part))),
        alive.copy(),
      )
    case 'any':
      return filter.of.reduce((left, part) => left.or(evaluate(part)), alive.blank())
    case 'not':
      return alive.copy().without(evaluate(filter.of))
    case 'has':
      return having(columns, filter.field, filter.values)
    case 'compat':
      return compat.findAny(
        columns.listRanges().flatMap(({ written, range }) => (covers(range, filter) ? written : [])),
        alive.blank(),
      )
    case 'since':
      return columns.publishedSince(filter.from).copy()
    case 'players':
      return columns.supporting(filter.count)
    case 'price':
      return columns.costingAtMost(filter.most)
    case 'uids':
      return columns.uids.find(filter.uids, alive.blank()).and(alive)
    case 'package':
      return columns.packages.find(filter, alive.blank())
    case 'adult':
      break
  }
  return columns.adult
}

function having(
  columns: Columns,
  field: Extract<SearchFilter, { kind: 'has' }>['field'],
  values: readonly string[],
): Bitset {
  const sets = columns.closed.setsOf(field)
  if (sets) {
    return values.reduce((found, value) => {
      const set = sets.get(value)
      return set ? found.or(set) : found
    }, columns.alive.blank())
  }
  return columns.openField(field).findAny(values, columns.alive.blank())
}

function covers(range: CompatRange, asked: Compat): boolean {
  if (asked.engine !== null && asked.engine !== range.engine) return false
  if (asked.renderer !== null && range.renderer !== null && asked.renderer !== range.renderer) return false
  return asked.version === null || coversVersion({ ...range, platform: null }, asked.version)
}
