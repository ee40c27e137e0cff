import type { Refused } from '../kit/form-state.ts'

/** These pages reject form entries with 422, even where the API returns 400. */
export function refusedStatus(refused: Refused | undefined): { status?: number } {
  return refused?.status === 400 ? { status: 422 } : {}
}
