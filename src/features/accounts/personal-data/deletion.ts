import { isForeignKeyViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { requireConfirmed } from '../../../domain/confirmation.ts'
import { AppError, invalidFields } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { endPublishingEverywhere } from '../../games/publishing-rights.ts'
import { notifyChange } from '../../games/service.ts'
import { sendMail } from '../../mail/jobs.ts'
import { discardObjects } from '../../storage/service.ts'
import { forgetAccount } from '../account-cache.ts'
import { usesPassword } from '../confirmation/own-password.ts'
import { accountDeletedMail } from '../mails.ts'
import type { OpenAuth } from '../sign-in/open-auth.ts'
import {
  anonymizeBugReports,
  deleteUser,
  listOwnedGames,
  listReviews,
  listSuggestedTags,
} from './personal-data-queries.ts'

const NAMED_MAX = 3

/**
 * Sessions, keys, programs, licences, play time, reviews and votes go with the account, at once, and so does what it
 * set up to publish other people's listings; bug reports lose what leads to the person. Listings stay: their players hold licences, so that their owner decides about each of them first.
 */
export async function deleteAccount(
  deps: Deps,
  openAuth: OpenAuth,
  user: WebsiteUser,
  { headers, password }: { headers: Headers; password?: string | undefined },
): Promise<void> {
  const { userUid } = user
  if (await usesPassword(deps, userUid))
    await requirePassword(openAuth, { headers, password: password ?? '' })
  else requireConfirmed(user, deps.config.baseUrl)
  await refuseOwner(deps, userUid)
  try {
    await deps.db.transaction(async (tx) => {
      await endPublishingEverywhere(deps, tx, user)
      await forgetAccount(deps, tx, userUid)
      const reviewed = (await listReviews(tx, userUid)).map(({ gameUid }) => gameUid)
      const tagged = (await listSuggestedTags(tx, userUid)).map(({ game_uid }) => game_uid)
      await discardObjects(tx, { keys: await anonymizeBugReports(tx, userUid) })
      await deleteUser(tx, userUid)
      for (const gameUid of new Set([...reviewed, ...tagged])) await notifyChange(tx, gameUid)
      await enqueue(tx, sendMail, accountDeletedMail({ email: user.email }))
    })
  } catch (error) {
    // A listing was made in the meantime.
    if (isForeignKeyViolation(error)) await refuseOwner(deps, userUid)
    throw error
  }
}

async function requirePassword(
  openAuth: OpenAuth,
  { headers, password }: { headers: Headers; password: string },
): Promise<void> {
  const cookie = headers.get('cookie') ?? ''
  const auth = await openAuth()
  const answer = await auth.api.verifyPassword({
    headers: new Headers({ cookie }),
    body: { password },
    asResponse: true,
  })
  if (answer.ok) return
  if (answer.status >= 500) throw new Error(`The password could not be checked: ${answer.status}`)
  throw invalidFields([{ path: 'password', message: 'This is not your password.' }])
}

async function refuseOwner(deps: Deps, userUid: string): Promise<void> {
  const owned = await listOwnedGames(deps.db, userUid)
  if (owned.length === 0) return
  const names = owned.slice(0, NAMED_MAX).map(({ name }) => `“${name}”`)
  const more = owned.length > NAMED_MAX ? ` and ${owned.length - NAMED_MAX} more` : ''
  throw new AppError('taken', {
    message: `You own ${names.join(', ')}${more}. Make each of them a draft and delete it first.`,
  })
}
