const numbers = new WeakMap<object, number>()
let last = 0

/**
 * A unique number of this object, for cache keys. Objects must be replaced, not changed: what was computed
 * from them stays valid while their numbers are the same.
 */
export function identityOf(value: object): number {
  const known = numbers.get(value)
  if (known !== undefined) return known
  last += 1
  numbers.set(value, last)
  return last
}
