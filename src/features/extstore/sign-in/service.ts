import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { createFindSession, type FindSession } from './find-session.ts'
import { createGameKeys, type GameKeys } from './game-keys.ts'
import { findGameLink, type GameLink } from './queries.ts'

/** State that the sign-ins of one process share. */
export interface SignIn {
  deps: Deps
  keys: GameKeys
  findSession: FindSession
}

/** A linked listing whose sign-in is on. */
export type OpenLink = { [Field in keyof GameLink]: NonNullable<GameLink[Field]> }

export function createSignIn(deps: Deps): SignIn {
  return {
    deps,
    keys: createGameKeys(deps.keyring),
    findSession: createFindSession(deps.db),
  }
}

export async function openLink(signIn: Pick<SignIn, 'deps'>, ref: string): Promise<OpenLink> {
  return requireOn(await requireGame(signIn, ref))
}

export function requireOn(link: GameLink | undefined): OpenLink {
  if (!link) throw new AppError('sign_in_off')
  const { gameUid, appId, authKey, ticketKey, webApiKey } = link
  if (appId === null || authKey === null || ticketKey === null || webApiKey === null)
    throw new AppError('sign_in_off')
  return { gameUid, appId, authKey, ticketKey, webApiKey }
}

export function openWebApiKey({ deps }: SignIn, gameUid: string, sealed: string): string {
  return deps.keyring.decrypt(sealed, encryptionContext.webApiKey(gameUid))
}

export async function requireGame({ deps }: Pick<SignIn, 'deps'>, ref: string): Promise<GameLink> {
  const link = await findGameLink(deps.db, ref)
  if (!link) throw new AppError('not_found')
  return link
}
