const numbers = new WeakMap<object, number>()
let last = 0

/**
 * A number of this object alone, for the keys of caches. What is computed from objects that are replaced
 * rather than changed stays valid as long as their numbers are the same.
 */
export function identityOf(value: object): number {
  const known = numbers.get(value)
  if (known !== undefined) return known
  last += 1
  numbers.set(value, last)
  return last
}
