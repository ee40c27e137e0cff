import { APIError } from 'better-auth/api'

import type { Db } from '../../../db/client.ts'
import { isEmailTaken, lockName } from '../queries.ts'

/** The library looks before it hashes the password: of several sign-ups at once all but one find out here. */
export async function refuseTakenEmail(tx: Db, email: string): Promise<void> {
  await lockName(tx, 'email', email)
  if (!(await isEmailTaken(tx, email))) return
  throw new APIError('UNPROCESSABLE_ENTITY', {
    message: 'User already exists. Use another email.',
    code: 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
  })
}
