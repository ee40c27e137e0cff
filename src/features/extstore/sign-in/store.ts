import { isExtstoreId } from '../../../domain/extstore-id.ts'
import { invalidField } from '../../../errors.ts'
import { askStore } from '../link/service.ts'
import type { Ownership } from './model.ts'
import { openWebApiKey, type SignIn } from './service.ts'

export function requireExtstoreId(value: string): string {
  if (isExtstoreId(value)) return value
  throw invalidField('extstore_id', 'must be a 64-bit account id, written in digits.', {
    kind: 'store_input_invalid',
  })
}

/** The game's id at the store, with the key to query it. */
export interface StoreGame {
  gameUid: string
  appId: number
  /** Encrypted, as stored. */
  webApiKey: string
}

export async function checkOwnership(
  signIn: SignIn,
  game: StoreGame,
  extstoreId: string,
): Promise<Ownership> {
  const webApiKey = openWebApiKey(signIn, game.gameUid, game.webApiKey)
  const { extStore } = signIn.deps
  const owned = await askStore(() => extStore.checkOwnership(webApiKey, { appId: game.appId, extstoreId }))
  return {
    owns_app: owned.ownsApp,
    permanent: owned.permanent,
    owner_extstore_id: owned.ownerExtstoreId,
    checked_at: new Date().toISOString(),
  }
}
