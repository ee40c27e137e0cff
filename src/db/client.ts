import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

import { Listener } from './listener.ts'
import { schema } from './schema.ts'

export type Database = PostgresJsDatabase<typeof schema>
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]
/** What a query needs: it neither knows nor cares whether a transaction is open. */
export type Db = Database | Transaction

type HotParameter = string | string[] | number[]

export interface DatabaseHandle {
  db: Database
  /** The same for queries that are asked often and whose text never changes: planned once per connection. */
  prepared: Database
  /** For the few statements that run on nearly every request: prepared once, and without drizzle's mapping. */
  hot<Row extends object>(statement: string, parameters: HotParameter[]): Promise<Row[]>
  /** Calls `onChange` for every NOTIFY on the channel, and `onGap` when notifications may have been missed. */
  listen(channel: string, onChange: (payload: string) => void, onGap: () => void): Promise<void>
  check(): Promise<void>
  dispose(): Promise<void>
}

export interface DatabaseOptions {
  maxConnections?: number
}

export function openDatabase(url: string, options: DatabaseOptions = {}): DatabaseHandle {
  // Drizzle replaces the date parsers of its client, so listeners get a client of their own.
  const client = postgres(url, {
    max: options.maxConnections ?? 10,
    connect_timeout: 10,
    idle_timeout: 60,
    onnotice: () => undefined,
    connection: { application_name: 'playshelf', statement_timeout: 30_000 },
  })
  const listener = new Listener(url)
  return {
    db: drizzle(client, { schema }),
    prepared: drizzle(preparing(client), { schema }),
    async hot<Row extends object>(statement: string, parameters: HotParameter[]) {
      return await client.unsafe<Row[]>(statement, parameters, { prepare: true })
    },
    async listen(channel, onChange, onGap) {
      await listener.listen({ channel, onChange, onGap })
    },
    async check() {
      await client`select 1`
    },
    async dispose() {
      await Promise.all([client.end({ timeout: 5 }), listener.dispose()])
    },
  }
}

/** Drizzle leaves it to Postgres to plan every query anew. */
function preparing(client: postgres.Sql): postgres.Sql {
  const unsafe: postgres.Sql['unsafe'] = (query, parameters, options) =>
    client.unsafe(query, parameters, { ...options, prepare: true })
  return new Proxy(client, {
    get: (target, name, receiver) => (name === 'unsafe' ? unsafe : Reflect.get(target, name, receiver)),
  })
}
