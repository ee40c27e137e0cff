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
