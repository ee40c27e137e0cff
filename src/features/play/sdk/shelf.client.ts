import type { Kept, Shelf } from './steady-shelf.ts'

const STORE = 'saves'

/** What waits to be sent, and the newest that the account has, in a database for each account. */
export async function openShelf(account: string): Promise<Shelf> {
  const opening = indexedDB.open(`playshelf.${account}`, 1)
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore(STORE, { keyPath: 'id', autoIncrement: true })
    for (const name of ['slot', 'waits', 'sent']) store.createIndex(name, name)
  }
  const db = await resultOf(opening)
  const open = (mode: IDBTransactionMode) => {
    const change = db.transaction(STORE, mode, { durability: 'strict' })
    return { change, store: change.objectStore(STORE) }
  }
  const walk = async (
    request: IDBRequest<IDBCursor | null>,
    visit: (cursor: IDBCursor) => unknown,
  ): Promise<void> => {
    for (let cursor = await resultOf(request); cursor; cursor = await resultOf(request)) {
      visit(cursor)
      cursor.continue()
    }
  }

  return {
    get: async (id) => await resultOf<Kept | undefined>(open('readonly').store.get(id)),
    async newest(slot) {
      const cursor = await resultOf(open('readonly').store.index('slot').openCursor(slot, 'prev'))
      return cursor?.value as Kept | undefined
    },
    async waiting() {
      const found: [id: number, slot: string][] = []
      await walk(open('readonly').store.index('waits').openKeyCursor(), ({ primaryKey, key }) =>
        found.push([primaryKey as number, key as string]),
      )
      return found.sort(([one], [other]) => one - other)
    },
    async slots() {
      const found: string[] = []
      const cursors = open('readonly').store.index('slot').openKeyCursor(null, 'nextunique')
      await walk(cursors, ({ key }) => found.push(key as string))
      return found
    },
    async put(kept) {
      const { change, store } = open('readwrite')
      const id = (await resultOf(store.put(kept))) as number
      if (kept.sent !== undefined)
        await walk(store.index('sent').openKeyCursor(kept.slot), ({ primaryKey }) => {
          if ((primaryKey as number) < id) store.delete(primaryKey)
        })
      await ended(change)
      return id
    },
    async remove(ids) {
      const { change, store } = open('readwrite')
      for (const id of ids) store.delete(id)
      await ended(change)
    },
  }
}

function resultOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function ended(change: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    change.oncomplete = () => resolve()
    change.onabort = () => reject(change.error)
  })
}
