import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { App } from '../../src/app.ts'
import { createContext } from '../../src/commands/context.ts'
import { type ServeOptions, startServer } from '../../src/commands/serve.ts'
import { parseConfig } from '../../src/config/config.ts'
import type { Deps } from '../../src/deps.ts'
import { startRunner } from '../../src/jobs/runner.ts'
import type { Logger } from '../../src/lib/log.ts'
import { loadHandlers } from '../../src/worker/registry.ts'
import { createCheckedFetch, shareFullDocument } from './cases/answers.ts'
import { createTestDatabase } from './database.ts'
import { makePasswordsCheap } from './sign-in/cheap-passwords.ts'

makePasswordsCheap()

export const TEST_SECRET_KEY = 'a-secret-key-for-tests-that-is-long-enough'

export interface TestServer {
  /** The address it listens on, whatever BASE_URL says. */
  url: string
  port: number
  deps: Deps
  app: App
  databaseUrl: string
  dataDir: string
  /** Checks every response against the API description. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Removes the server's own database, for tests of its loss. */
  dropDatabase(): Promise<void>
  stop(): Promise<void>
}

/** The part that callers of the server need. */
export type ReachableServer = Pick<TestServer, 'url' | 'fetch'>

export interface TestServerOptions {
  log?: Logger
  /** In a thread as in the program, which takes half a second to start; otherwise in this one. */
  jobsInThread?: boolean
  poolTimes?: ServeOptions['poolTimes']
}

/**
 * Starts the whole program on a free port with its own folder and database, unless one is given. Jobs run only if a
 * ROLE is given: other tests run them one by one.
 */
export async function startTestServer(
  env: Record<string, string> = {},
  { log, jobsInThread = false, poolTimes }: TestServerOptions = {},
): Promise<TestServer> {
  const given = env.DATABASE_URL
  const database = given ? { url: given, drop: () => Promise.resolve() } : await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'playshelf-data-'))
  const context = createContext(
    parseConfig({
      PORT: '0',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      SECRET_KEY: TEST_SECRET_KEY,
      LOG_LEVEL: 'silent',
      // Tests must not depend on the disk they run on.
      STORAGE_RESERVE: '0',
      ...env,
    }),
  )
  const runsHere = env.ROLE === 'all' && !jobsInThread
  const server = await startServer(log ? { ...context, log } : context, {
    runsJobs: 'ROLE' in env && !runsHere,
    leaveMs: 0,
    ...(poolTimes && { poolTimes }),
  })
  const jobs = runsHere
    ? await startRunner(server.deps, { databaseUrl: database.url, handlers: loadHandlers() })
    : null
  const url = `http://127.0.0.1:${server.deps.config.port}`
  const ask = (path: string, init?: RequestInit) => fetch(url + path, { redirect: 'manual', ...init })
  return {
    url,
    port: server.deps.config.port,
    deps: server.deps,
    app: server.app,
    databaseUrl: database.url,
    dataDir,
    fetch: createCheckedFetch(ask, shareFullDocument(server.app)),
    dropDatabase: database.drop,
    async stop() {
      await jobs?.stop()
      await server.stop()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Starts a second server on the same database and storage, like another process. */
export async function startTwin(server: TestServer, env: Record<string, string> = {}): Promise<TestServer> {
  return await startTestServer({
    TRUST_PROXY: '1',
    ...env,
    DATABASE_URL: server.databaseUrl,
    DATA_DIR: server.dataDir,
  })
}
