export interface RateCount {
  /** Requests in the current window, this one included. */
  count: number
  /** Milliseconds until the window ends. */
  resetMs: number
}

/** Fixed windows: a counter per key that starts with its first request and is gone when the window ends. */
export interface RateStore {
  readonly kind: 'memory' | 'redis'
  add(key: string, windowMs: number): RateCount | Promise<RateCount>
  /** Takes one back, for requests that turn out not to count. */
  refund(key: string): void | Promise<void>
  check(): Promise<void>
  dispose(): Promise<void>
}
