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
