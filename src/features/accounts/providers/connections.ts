import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { usesPassword } from '../confirmation/own-password.ts'
import { countPasskeys } from '../factors/factor-queries.ts'
import { changeFactors, tellAdded, tellRemoved } from '../factors/factors.ts'
import { findUser } from '../queries.ts'
import { countSignIns, deleteConnection, listConnections } from './connection-queries.ts'

/** Called with every row that the library adds. The first one belongs to a new account, which needs no mail. */
export async function tellConnected(
  deps: Deps,
  db: Db,
  { userId, providerId }: { userId: string; providerId: string },
): Promise<void> {
  if (providerId === 'credential' || (await countSignIns(db, userId)) < 2) return
  const user = await findUser(db, userId)
  if (user) await tellAdded(deps, db, user.email, describeProvider(deps, providerId))
}

/** Never takes the last way to sign in away. */
export async function disconnectProvider(deps: Deps, user: WebsiteUser, provider: string): Promise<void> {
  const { userUid, email } = user
  await changeFactors(deps, user, async (tx) => {
    if (!(await deleteConnection(tx, userUid, provider))) throw new AppError('not_found')
    const isReachable =
      (await listConnections(tx, userUid)).size > 0 ||
      (await countPasskeys(tx, userUid)) > 0 ||
      (await usesPassword({ config: deps.config, db: tx }, userUid))
    if (!isReachable) {
      throw new AppError('taken', {
        message: 'This is the only way to sign in to your account. Add a passkey or a password first.',
      })
    }
    await tellRemoved(deps, tx, email, describeProvider(deps, provider))
  })
}

function describeProvider({ config }: Deps, id: string): string {
  const name = config.signInProviders.find((provider) => provider.id === id)?.name ?? id
  return `the sign-in by ${name}`
}
