import { AsyncLocalStorage } from 'node:async_hooks'

import { createSemaphore } from '../lib/semaphore.ts'
import type { Database, Db, Transaction } from './client.ts'

export interface TrackedTransactions {
  /** The database for the library. */
  db: Database
  /** The transaction that the library has open around the caller, or else the database. */
  current(): Db
}

/**
 * For a library that opens transactions itself and calls our hooks inside them. A hook that asked the pool instead
 * would hold one connection while it waits for a second; a few of them at once would wait for ever. Only `atOnce` are
 * open at a time, because nobody knows how long a library takes: the other connections stay free.
 */
export function trackTransactions(db: Database, atOnce: number): TrackedTransactions {
  const open = new AsyncLocalStorage<Transaction>()
  const limit = createSemaphore(atOnce)
  const transaction: Database['transaction'] = async (work, config) => {
    const slot = await limit.acquire()
    try {
      return await db.transaction((tx) => open.run(tx, () => work(tx)), config)
    } finally {
      slot[Symbol.dispose]()
    }
  }
  const tracked = new Proxy(db, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
  })
  return { db: tracked, current: () => open.getStore() ?? db }
}
