import { join } from 'node:path'

import type { Latency } from '../report/line.ts'

export interface LoadRequest {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Requests to rotate through, if one is not enough. */
  variants?: { path: string; headers?: Record<string, string>; body?: string }[]
  /** The number of addresses to rotate through in X-Forwarded-For, to stay below the rate limits. */
  addresses?: number
  /** The expected status; any other fails the measurement. */
  status: number
}

export interface LoadTask extends LoadRequest {
  connections: number
  seconds: number
}

export interface LoadResult {
  requests: number
  requestsPerSecond: number
  latencyMs: Latency
}

const CHILD = join(import.meta.dir, 'load-child.ts')
const CONNECTIONS = 50

/** Sends requests from a separate process, so that its CPU time does not count as the server's. */
export async function sendLoad(request: LoadRequest, seconds: number): Promise<LoadResult> {
  const task: LoadTask = { ...request, connections: CONNECTIONS, seconds }
  const child = Bun.spawn([process.execPath, CHILD], {
    stdin: new Blob([JSON.stringify(task)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const [out, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`The load process ended with ${code}`)
  return JSON.parse(out)
}
