/** Goes on at once with a value that is there already: a promise for each step would cost more than the steps. */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  proceed: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(proceed) : proceed(value)
}
