import { join } from 'node:path'

import { findKeptPort } from '../processes/child.ts'
import { waitForPort } from './ports.ts'

export const REDIS_PACKAGES = ['redis-server'] as const

export function isRedisInstalled(): boolean {
  return Bun.which('redis-server') !== null
}

export interface RunningEngine {
  url: string
  stop(): Promise<void>
}

export async function startRedis(dir: string): Promise<RunningEngine> {
  const port = findKeptPort()
  const child = Bun.spawn(
    [
      'redis-server',
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      dir,
      '--logfile',
      join(dir, 'redis.log'),
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  )
  await waitForPort(port)
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}
