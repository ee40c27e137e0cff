export interface Latency {
  p50: number
  p95: number
  p99: number
}

/** The smallest value that at least `share` of the sorted values do not exceed. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const index = Math.max(0, Math.ceil(share * sorted.length) - 1)
  return sorted[index] ?? Number.NaN
}

export function summarise(values: readonly number[]): Latency {
  const sorted = Float64Array.from(values).sort()
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), p99: percentile(sorted, 0.99) }
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
