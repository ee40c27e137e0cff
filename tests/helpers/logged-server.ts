import { createLogger } from '../../src/lib/log.ts'
import { startTestServer, type TestServer } from './server.ts'

export interface LogLine {
  message: string
  url?: string
  route?: string
  trace_id?: string
}

export interface LoggedServer extends TestServer {
  /** Everything it has logged, in order. */
  lines: LogLine[]
  /** From the line that tells it, as an operator would read it. */
  metricsUrl: string
}

/** The whole program, with its log kept: for what is only told there. */
export async function startLoggedServer(env: Record<string, string>): Promise<LoggedServer> {
  const lines: LogLine[] = []
  const log = createLogger({ level: 'info', pretty: false, write: (line) => lines.push(JSON.parse(line)) })
  const server = await startTestServer({ LOG_LEVEL: 'info', ...env }, log)
  const metricsUrl = lines.find((line) => line.message === 'Metrics are served')?.url ?? ''
  return { ...server, lines, metricsUrl }
}
