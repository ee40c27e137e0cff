import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { giveRedeemedLicense, lockHolding } from '../../community/library/holdings.ts'
import type { LibraryItem } from '../../community/library/model.ts'
import { readLibraryItem } from '../../community/library/service.ts'
import { holdsEdition } from '../orders/held.ts'
import { closeOrderIfHeld } from '../orders/open-orders.ts'
import { hashCode } from './codes.ts'
import * as queries from './queries.ts'

/** Works for a listing of any visibility: whoever has the code was given it. Nothing tells why a code does not work. */
export async function redeemKey(deps: Deps, user: WebsiteUser, typed: string): Promise<LibraryItem> {
  const hash = hashCode(typed)
  if (hash === null) throw new AppError('code_invalid')
  const gameUid = await deps.db.transaction((tx) => redeem(deps, tx, user, hash))
  return await readLibraryItem(deps, user, gameUid)
}

/** Whatever is thrown undoes everything, so the code stays. */
async function redeem(deps: Deps, tx: Transaction, user: WebsiteUser, hash: string): Promise<string> {
  const { userUid } = user
  const key = await queries.findOpenKey(tx, hash, userUid, new Date())
  if (!key || key.game.takenDown) throw new AppError('code_invalid')
  const { game, editionUid, isOnTeam } = key
  if (isOnTeam) throw owned(`You work on ${game.name}: you have it without a key.`)
  await lockHolding(tx, userUid, game.uid)
  if (await holdsEdition(tx, userUid, game.uid, editionUid)) throw owned(inLibrary(game.name))
  if (game.adult && !user.adultContent)
    throw new AppError('forbidden', {
      message: `Turn on adult content in your account to redeem this code for ${game.name}.`,
    })
  const redemption = { userUid, gameUid: game.uid, gameName: game.name, editionUid }
  if (!(await giveRedeemedLicense(tx, redemption))) throw owned(inLibrary(game.name))
  if (!(await queries.takeKey(tx, hash, userUid))) throw new AppError('code_invalid')
  if (deps.payments) await closeOrderIfHeld(tx, userUid, game.uid)
  return game.uid
}

function inLibrary(name: string): string {
  return `${name} is in your library already.`
}

function owned(message: string): AppError {
  return new AppError('already_owned', {
    message: `${message} The code was not used: give it to somebody else.`,
  })
}
