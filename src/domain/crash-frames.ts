/** One line of a stack as a game reports it. */
export interface CrashFrame {
  module: string
  /** From where the module begins. */
  offset: number
  function?: string | undefined
}

/** The same line with what symbols tell. */
export interface StackFrame {
  module: string
  offset: number
  function: string | null
  file: string | null
  line: number | null
}
