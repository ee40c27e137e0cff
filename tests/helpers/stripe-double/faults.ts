/**
 * 401, 500: nothing happened; lost: it happened, and the answer never came; reset: the connection closed before anything
 * happened; slow: the answer takes its time; hang: it never comes.
 */
export type Fault = '401' | '500' | 'lost' | 'reset' | 'slow' | 'hang'

export const SLOW_MS = 700

export interface Faults {
  /** For the next requests whose `METHOD path` starts with the point; empty for all. */
  set(point: string, fault: Fault, times: number): void
  take(call: string): Fault | null
  clear(): void
}

export function createFaults(): Faults {
  const set = new Map<string, { fault: Fault; left: number }>()
  return {
    set: (point, fault, times) => void set.set(point, { fault, left: times }),
    take(call) {
      for (const [point, entry] of set) {
        if (!call.startsWith(point)) continue
        entry.left -= 1
        if (entry.left <= 0) set.delete(point)
        return entry.fault
      }
      return null
    },
    clear: () => set.clear(),
  }
}
