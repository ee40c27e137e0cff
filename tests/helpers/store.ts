import { afterAll, beforeAll } from 'bun:test'

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
