import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { forgetAccount } from '../account-cache.ts'
import { setConfirmed } from './confirmation-queries.ts'

/** Call with what has just proved itself. */
export async function markConfirmed(
  deps: Deps,
  { userUid, sessionUid }: Pick<WebsiteUser, 'userUid' | 'sessionUid'>,
): Promise<Date> {
  const at = new Date()
  await deps.db.transaction(async (tx) => {
    if (!(await setConfirmed(tx, sessionUid, at))) throw new AppError('unauthorized')
    await forgetAccount(deps, tx, userUid)
  })
  return at
}
