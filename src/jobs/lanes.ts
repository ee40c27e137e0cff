interface Lane {
  /** How many of its jobs run at once in each process. */
  readonly slots: number
  /** How many of those may be of one owner; jobs without an owner are only bounded by the slots. */
  readonly perOwner: number
}

/** Jobs of one lane never wait for those of another: each lane has slots of its own. */
export const LANES = {
  /** Statements of milliseconds, most of which wait for the database. */
  short: { slots: 4, perOwner: 2 },
  /** Work of the store itself that takes minutes, or as long as the object store does. */
  long: { slots: 3, perOwner: 1 },
  /** A slow mail server delays mails only. */
  mail: { slots: 2, perOwner: 1 },
  /** Each reads a zip of up to 5 GB. The virus scanner has as many connections. */
  scans: { slots: 4, perOwner: 1 },
  /** Each reads symbol files of up to 512 MB. */
  symbols: { slots: 2, perOwner: 1 },
  /** Calls to Stripe. */
  payments: { slots: 6, perOwner: 6 },
  /** Calls to servers of other people: as slow as those may be, no other job waits for them. */
  outside: { slots: 8, perOwner: 2 },
} as const satisfies Readonly<Record<string, Lane>>

export type LaneName = keyof typeof LANES

export const LANE_NAMES = Object.keys(LANES) as readonly LaneName[]

export function laneOf({ lane }: { lane?: LaneName }): LaneName {
  return lane ?? 'short'
}
