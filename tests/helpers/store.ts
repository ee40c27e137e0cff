import { afterAll, beforeAll } from 'bun:test'

import { type DatabaseHandle, openDatabase } from '../../src/db/client.ts'
import { createTestDatabase } from './database.ts'
import { type Person, signUp } from './people.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

type Environment = Record<string, string>

/** The store of a test file: started before its tests, stopped after them. */
export function useStore(
  env: Environment | (() => Environment) = {},
  options: TestServerOptions = {},
): TestServer {
  const store = {} as TestServer
  beforeAll(async () => {
    Object.assign(store, await startTestServer(typeof env === 'function' ? env() : env, options))
  })
  afterAll(async () => await store.stop?.())
  return store
}

/** A person of a test file: `usePerson(store)`, `usePerson(store, signUpOperator)`. */
export function usePerson(
  store: TestServer,
  register: (store: TestServer) => Promise<Person> = (known) => signUp(known),
): Person {
  const person = {} as Person
  beforeAll(async () => {
    Object.assign(person, await register(store))
  })
  return person
}

/** The database of a test file that needs no store: created before its tests, removed after them. */
export function useDatabase(): DatabaseHandle & { url: string } {
  const database = {} as ReturnType<typeof useDatabase>
  let drop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const created = await createTestDatabase()
    drop = created.drop
    Object.assign(database, openDatabase(created.url), { url: created.url })
  })
  afterAll(async () => {
    await database.dispose?.()
    await drop?.()
  })
  return database
}
