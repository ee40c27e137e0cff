/** How long a connection may be idle between two requests. */
const IDLE_SECONDS = 30

/** The part of Elysia's context that receiving a body needs. */
export interface Arrival {
  request: Request
  server: { timeout(request: Request, seconds: number): void } | null
}

/**
 * A slow sender may pause for longer than an idle connection: `work` limits the time of the whole request
 * instead.
 */
export async function extendIdleTimeout<Result>(
  { request, server }: Arrival,
  work: () => Promise<Result>,
): Promise<Result> {
  server?.timeout(request, 0)
  try {
    return await work()
  } finally {
    server?.timeout(request, IDLE_SECONDS)
  }
}
