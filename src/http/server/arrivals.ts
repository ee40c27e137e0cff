/** When requests that change something reached this process, by its monotonic clock. */
const arrivals = new WeakMap<Request, number>()

/** Called before anything waits. */
export function noteArrival(request: Request): void {
  if (request.method !== 'GET') arrivals.set(request, performance.now())
}

/** A value of `performance.now()`. */
export function arrivalOf(request: Request): number {
  return arrivals.get(request) ?? performance.now()
}
