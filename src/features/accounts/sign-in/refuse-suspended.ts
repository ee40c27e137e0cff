import { APIError } from 'better-auth/api'

import type { Db } from '../../../db/client.ts'
import { isSuspended } from '../operator-queries.ts'
import { ACCOUNT_SUSPENDED, SUSPENDED_MESSAGE } from '../suspension.ts'

/** Runs before any session is stored, after the password was checked: nobody else learns of the suspension. */
export async function refuseSuspended(db: Db, userUid: string): Promise<void> {
  if (!(await isSuspended(db, userUid))) return
  throw new APIError('FORBIDDEN', { code: ACCOUNT_SUSPENDED, message: SUSPENDED_MESSAGE })
}
