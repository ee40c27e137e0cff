import { RedisClient } from 'bun'

import { waitAtMost } from '../../lib/flow/with-timeout.ts'
import type { Logger } from '../../lib/log.ts'
import { createMemoryRateStore, type RateCount, type RateStore } from './rate-store.ts'

const ADD = `local n = redis.call('INCRBY', KEYS[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {n, redis.call('PTTL', KEYS[1])}`
const PREFIX = 'playshelf:rate:'
const WARN_EVERY_MS = 60_000
const FIRST_CONNECT_MS = 1000

/**
 * Counters shared by all processes. While Redis is down each process counts for itself: lenient limits are
 * better than slow requests.
 */
export function openRedisRateStore(url: string, log: Logger): RateStore {
  const client = new RedisClient(url, {
    connectionTimeout: 2000,
    maxRetries: 1_000_000,
    enableOfflineQueue: false,
  })
  const fallback = createMemoryRateStore()
  let warnedAt = 0
  // The first requests wait for the first connection, but only briefly in case Redis is down.
  const connected = waitAtMost(FIRST_CONNECT_MS, client.connect().catch(warn))

  function warn(error: unknown): void {
    if (Date.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = Date.now()
    log.warn('Redis does not answer; rate limits are counted per process until it does', { error })
  }

  return {
    kind: 'redis',
    async add(key, windowMs, amount = 1): Promise<RateCount> {
      await connected
      try {
        const [count, ttl]: [number, number] = await client.send('EVAL', [
          ADD,
          '1',
          PREFIX + key,
          String(windowMs),
          String(amount),
        ])
        return { count, resetMs: Math.max(0, ttl) }
      } catch (error) {
        warn(error)
        return fallback.add(key, windowMs, amount)
      }
    },
    async check() {
      await connected
      if (!client.connected) throw new Error('Redis is not connected')
      await client.send('PING', [])
    },
    async dispose() {
      client.close()
    },
  }
}
