import type { DoubleState, Fault, FaultPoint } from './state.ts'
import { htmlRefusal } from './web-api.ts'

const SLOW_MS = 300

/** Returns the fault for this request and uses it up. */
export function takeFault(state: DoubleState, point: FaultPoint | null): Fault | null {
  const set = point && state.faults.get(point)
  if (!set) return null
  set.left -= 1
  if (set.left <= 0) state.faults.delete(point)
  return set.fault
}

/** `reset` closes the connection without a response, `half` in the middle of one, `hang` never. */
export type SocketFault = 'reset' | 'half' | 'hang'

const ANSWERS: Record<Exclude<Fault, SocketFault | 'slow'>, () => Response> = {
  null: () => Response.json(null),
  not_json: () => new Response('<!DOCTYPE html><html><body>The store is down for maintenance</body></html>'),
  html401: () => htmlRefusal(401),
  html403: () => htmlRefusal(403),
  '429': () => new Response('null', { status: 429, headers: { 'retry-after': '60' } }),
  '500': () => new Response('<html><body>Internal Server Error</body></html>', { status: 500 }),
}

export async function answerWithFault(
  fault: Exclude<Fault, SocketFault>,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  if (fault !== 'slow') return ANSWERS[fault]()
  await Bun.sleep(SLOW_MS)
  return await answer()
}
