import { t } from 'elysia'

import { Integer, Moment, PageQuery, Uid } from '../../../http/input/schema.ts'

export const SYMBOLS_BYTES_MAX = 512 * 1024 * 1024

export const SymbolsQuery = t.Object({
  ...PageQuery.properties,
  build_id: t.Optional(t.String({ description: 'Only those of this build.' })),
})

const identity = {
  uid: Uid,
  module: t.String({ examples: ['lighthouse.x86_64'] }),
  debug_id: t.String({ examples: ['6ADAC5A0F1E94A7FB2A3C1D0E5F607180'] }),
}

export const StoredSymbols = t.Object(identity)
export type StoredSymbols = typeof StoredSymbols.static

export const Symbols = t.Object({
  ...identity,
  build_id: Uid,
  filename: t.String(),
  size: Integer({ minimum: 0 }),
  created_at: Moment,
})
export type Symbols = typeof Symbols.static
