/** What a container says about its first video track. */
export interface VideoFacts {
  width: number
  height: number
  /** Null if it is not stated, as by recorders of browsers. */
  durationMs: number | null
}

/** The bytes are not what they should be. The message completes `The file …`. */
export class VideoFault extends Error {}

export interface VideoBytes {
  readonly size: number
  /** Throws a `VideoFault` for bytes beyond the end. */
  read(start: number, length: number): Promise<DataView>
}

/** A day in seconds; longer durations are not believed. */
const SECONDS_MAX = 24 * 60 * 60

export function toMs(seconds: number): number | null {
  return seconds > 0 && seconds <= SECONDS_MAX ? Math.round(seconds * 1000) : null
}
