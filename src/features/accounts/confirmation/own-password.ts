import type { Deps } from '../../../deps.ts'
import { hasPassword } from './confirmation-queries.ts'

/** Whether the account can confirm with a password: those that sign in by others have none. */
export async function usesPassword(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  userUid: string,
): Promise<boolean> {
  return config.passwordSignIn && (await hasPassword(db, userUid))
}
