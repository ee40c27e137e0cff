import { AsyncLocalStorage } from 'node:async_hooks'

import { createSemaphore } from '../../lib/flow/semaphore.ts'
import type { Database, Db, Transaction } from '../client.ts'

interface TrackedTransactions {
  /** The database to pass to the library. */
  db: Database
  /** The transaction the library has open around the caller, otherwise the database. */
  current(): Db
}

/**
 * For a library that opens transactions itself and calls our hooks inside them. A hook that used the pool
 * would need a second connection, which can deadlock. At most `atOnce` transactions run at a time, so that a
 * slow library cannot take every connection.
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
