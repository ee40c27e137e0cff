import { APIError } from 'better-auth/api'

import type { Db } from '../../../db/client.ts'
import { isEmailTaken, lockName } from '../queries.ts'

/** Repeats the library's check, which runs before the password is hashed and so misses parallel sign-ups. */
export async function refuseTakenEmail(tx: Db, email: string): Promise<void> {
  await lockName(tx, 'email', email)
  if (!(await isEmailTaken(tx, email))) return
  throw new APIError('UNPROCESSABLE_ENTITY', {
    message: 'User already exists. Use another email.',
    code: 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
  })
}
