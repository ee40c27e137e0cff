/** A stack frame as a game reports it. */
export interface CrashFrame {
  module: string
  /** Relative to the start of the module. */
  offset: number
  function?: string | undefined
}

/** A stack frame with what the symbols say. */
export interface StackFrame {
  module: string
  offset: number
  function: string | null
  file: string | null
  line: number | null
}

/** How well the builds of a listing start, from worst to best; unrated: too few devices to say. */
export const HEALTH_BANDS = ['problematic', 'mixed', 'healthy', 'excellent', 'unrated'] as const
export type HealthBand = (typeof HEALTH_BANDS)[number]
