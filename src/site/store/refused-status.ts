import type { Refused } from '../kit/form-state.ts'

/** What was entered on these pages is refused with 422, also where the API answers 400. */
export function refusedStatus(refused: Refused | undefined): { status?: number } {
  return refused?.status === 400 ? { status: 422 } : {}
}
