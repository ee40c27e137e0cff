import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { requireUserNamed } from '../../accounts/service.ts'
import { openGame } from '../../games/service.ts'
import { insertLicense, markGranted } from './license-queries.ts'
import type { License } from './model.ts'
import * as queries from './queries.ts'

/** The owner gives away a licence, also for a paid or hidden listing. It counts once its holder accepts it. */
export async function grantLicense(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  username: string,
): Promise<{ license: License; isNew: boolean }> {
  const { game } = await openGame(deps.db, user, ref, 'own')
  const { uid: userUid } = await requireUserNamed(deps.db, username)
  const values = {
    userUid,
    gameUid: game.uid,
    gameName: game.name,
    source: 'granted',
    pending: true,
  } as const
  const isNew = await insertLicense(deps.db, values)
  if (!isNew) await markGranted(deps.db, userUid, game.uid)
  const holder = await queries.findHolder(deps.db, userUid, game.uid)
  if (!holder) throw new AppError('not_found')
  return { license: toLicense(holder), isNew }
}

export async function listLicenses(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<License>> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  const [rows, total] = await Promise.all([
    queries.listHolders(deps.db, game.uid, page),
    queries.countHolders(deps.db, game.uid),
  ])
  return paged(page, rows.map(toLicense), total)
}

function toLicense({ username, source, pending, createdAt }: queries.HolderRow): License {
  return { username, source, since: createdAt.toISOString(), pending }
}
