import { createLogger } from '../../../src/lib/log.ts'
import { startTestServer, type TestServer } from '../server.ts'

export interface LogLine {
  message: string
  url?: string
  route?: string
  trace_id?: string
}

export interface LoggedServer extends TestServer {
  /** All log lines, in order. */
  lines: LogLine[]
  /** Taken from the log line, as an operator would. */
  metricsUrl: string
}

/** Starts the whole program and records its log. */
export async function startLoggedServer(env: Record<string, string>): Promise<LoggedServer> {
  const lines: LogLine[] = []
  const log = createLogger({ level: 'info', pretty: false, write: (line) => lines.push(JSON.parse(line)) })
  const server = await startTestServer({ LOG_LEVEL: 'info', ...env }, { log, jobsInThread: true })
  const metricsUrl = lines.find((line) => line.message === 'Metrics are served')?.url ?? ''
  return { ...server, lines, metricsUrl }
}
