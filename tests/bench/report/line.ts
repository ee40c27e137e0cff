/** The target of a scenario, for its own figure or for the ratio to the baseline. */
export interface Target {
  of: 'ratio' | 'subject'
  must: 'reach' | 'stay below'
  value: number
}

/** One measurement: a row of the final table, with its details for the JSON file. */
export interface Line {
  scenario: string
  measure: string
  unit: string
  subject: number
  baseline: number | null
  ratio: number | null
  target: Target | null
  /** null without a target. */
  reached: boolean | null
  details?: object
}

export type Measured = Omit<Line, 'ratio' | 'target' | 'reached'> & { ratio?: number; target?: Target }

export function judge({ target, ...measured }: Measured): Line {
  const { subject, baseline } = measured
  const ratio = measured.ratio ?? (baseline === null ? null : subject / baseline)
  return {
    ...measured,
    ratio,
    target: target ?? null,
    reached: target ? meets(target, subject, ratio) : null,
  }
}

function meets({ of, must, value }: Target, subject: number, ratio: number | null): boolean {
  const reached = of === 'subject' ? subject : (ratio ?? Number.NaN)
  return must === 'reach' ? reached >= value : reached < value
}

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
