import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startServer } from '../../src/commands/serve.ts'
import { parseConfig } from '../../src/config.ts'
import { createLogger } from '../../src/lib/log.ts'
import { createTestDatabase } from './database.ts'
import { TEST_SECRET_KEY, type TestServer } from './server.ts'

export interface LogLine {
  message: string
  url?: string
  path?: string
  trace_id?: string
}

export interface LoggedServer extends TestServer {
  /** Everything it has logged, in order. */
  lines: LogLine[]
  /** From the line that tells it, as an operator would read it. */
  metricsUrl: string
  dropDatabase(): Promise<void>
}

/** The whole program, with its log kept: for what is only told there. */
export async function startLoggedServer(env: Record<string, string>): Promise<LoggedServer> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'playshelf-data-'))
  const lines: LogLine[] = []
  const log = createLogger({ level: 'info', pretty: false, write: (line) => lines.push(JSON.parse(line)) })
  const parsed = parseConfig({
    PORT: '0',
    ROLE: 'api',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SECRET_KEY: TEST_SECRET_KEY,
    ...env,
  })
  const server = await startServer({ parsed, log })
  const url = `http://127.0.0.1:${server.deps.config.port}`
  return {
    url,
    port: server.deps.config.port,
    deps: server.deps,
    app: server.app,
    databaseUrl: database.url,
    dataDir,
    lines,
    metricsUrl: lines.find((line) => line.message === 'Metrics are served')?.url ?? '',
    dropDatabase: database.drop,
    fetch: (path, init) => fetch(url + path, { redirect: 'manual', ...init }),
    async stop() {
      await server.stop()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
