const LEAST = 64
const FACTOR = 1.25

type Numbers = Float64Array | Int32Array | Uint16Array | Uint8Array

/** The new capacity of a full array: grows by a quarter, because the arrays are most of the process's memory. */
export function grownLength(least: number, length: number): number {
  return Math.max(LEAST, least, Math.ceil(length * FACTOR))
}

export function copyInto<Kind extends Numbers>(from: Kind, into: Kind): Kind {
  into.set(from)
  return into
}
