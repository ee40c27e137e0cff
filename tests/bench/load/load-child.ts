import autocannon, { type Result } from 'autocannon'

import { summarise } from '../report/line.ts'
import type { LoadResult, LoadTask } from './load.ts'

const task = (await Bun.stdin.json()) as LoadTask
console.log(JSON.stringify(await load(task)))

async function load({ url, method = 'GET', headers = {}, ...task }: LoadTask): Promise<LoadResult> {
  const times: number[] = []
  const body = task.body === undefined ? {} : { body: task.body }
  // Rounds within one minute must not share rate limits.
  const subnet = Math.floor(Date.now() / 1000) & 255
  const { addresses = 0, variants = [] } = task
  // Visitors who come at about the same time are not neighbours.
  const networks = Math.ceil(addresses / 256)
  const requests = Array.from({ length: Math.max(addresses, variants.length) }, (_, index): object => {
    const variant = variants[index % Math.max(1, variants.length)]
    const from =
      addresses === 0
        ? {}
        : { 'x-forwarded-for': `10.${subnet}.${index % networks}.${Math.floor(index / networks)}` }
    return { ...variant, headers: { ...headers, ...variant?.headers, ...from } }
  })
  const run = autocannon({
    url,
    method,
    headers,
    ...body,
    connections: task.connections,
    duration: task.seconds,
    ...(requests.length > 0 && { requests }),
  })
  run.on('response', (_client, _status, _bytes, ms) => void times.push(ms))
  const result = await run
  refuseOthers(result, task.status)
  return {
    requests: times.length,
    requestsPerSecond: times.length / result.duration,
    latencyMs: summarise(times),
  }
}

function refuseOthers(result: Result, status: number): void {
  const seen = Object.keys(result.statusCodeStats)
  if (seen.length === 1 && seen[0] === String(status) && result.errors === 0 && result.timeouts === 0) return
  throw new Error(
    `Expected only ${status}, got ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors`,
  )
}
