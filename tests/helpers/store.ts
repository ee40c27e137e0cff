import { afterAll, beforeAll } from 'bun:test'

import { type DatabaseHandle, openDatabase } from '../../src/db/client.ts'
import { createTestDatabase } from './database.ts'
import { type Person, signUp } from './people.ts'
import { type LoggedServer, startLoggedServer } from './processes/logged-server.ts'
import { startTestServer, startTwin, type TestServer, type TestServerOptions } from './server.ts'

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

/** The same with its log. */
export function useLoggedStore(env: Environment = {}): LoggedServer {
  const store = {} as LoggedServer
  beforeAll(async () => void Object.assign(store, await startLoggedServer(env)))
  afterAll(async () => await store.stop?.())
  return store
}

/** Another process of the store. */
export function useTwin(store: TestServer, env: Environment = {}): TestServer {
  return useBeside(store, () => startTwin(store, env))
}

/** What stops before the store, whose database goes with it. */
export function useBeside<Beside extends { stop(): Promise<void> }>(
  store: TestServer,
  start: () => Promise<Beside>,
): Beside {
  const beside = {} as Beside
  beforeAll(async () => {
    Object.assign(beside, await start())
    const { stop } = store
    store.stop = async () => {
      await beside.stop()
      await stop()
    }
  })
  return beside
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
