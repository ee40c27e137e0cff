/** Makes the value for a key, and keeps it until it is asked for with another one. */
export function forLatest<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  let latest: { key: Key; value: Value } | undefined
  return (key) => {
    if (latest === undefined || latest.key !== key) latest = { key, value: make(key) }
    return latest.value
  }
}
