import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import * as queries from './queries.ts'

export interface Base {
  uid: string
  size: number
  objectKey: string
}

/** A clean, stored file of this game. Another game's file is as unusable as one that does not exist. */
export async function requireBase({ db, store }: Deps, gameUid: string, uid: string): Promise<Base> {
  const base = isUid(uid) ? await queries.findBase(db, gameUid, uid) : undefined
  if (base && (await store.head(base.objectKey))?.size === base.size) return base
  throw new AppError('upload_base_unusable')
}
