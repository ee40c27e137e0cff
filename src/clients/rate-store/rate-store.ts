export interface RateCount {
  /** Requests in the current window, this one included. */
  count: number
  /** Milliseconds until the window ends. */
  resetMs: number
}

/** Fixed windows: each key has a counter that starts with its first request and expires with the window. */
export interface RateStore {
  readonly kind: 'memory' | 'redis'
  /** A negative amount takes back what was counted too much. */
  add(key: string, windowMs: number, amount?: number): RateCount | Promise<RateCount>
  check(): Promise<void>
  dispose(): Promise<void>
}
